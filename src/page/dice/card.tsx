/** One die as a card: its upper face, its name, its notices. */
import { useSignal } from '@preact/signals';
import type { DetailedStatus, DieRecord } from '../../dice/contract.js';
import { Forget } from './forget.js';
import { Name } from './name.js';
import { Battery, InSum, Notices, Reconnect, restOf, Roll, Type } from './parts.js';
import { Settings, SettingsButton } from './settings.js';
import { Shape } from './shape.js';
import { Stage, useMotion } from './stage.js';
import { nameOf } from './state.js';

export const Card = ({ die }: { readonly die: DetailedStatus }) => {
  const { address, dice_type, connected } = die;
  const isOpen = useSignal(false);
  const motion = useMotion(die);
  return (
    <article
      class={`card die${connected ? '' : ' away'}${isOpen.value ? ' open' : ''}`}
      aria-label={nameOf(die)}
    >
      <header>
        <Name die={die} />
        <SettingsButton die={die} isOpen={isOpen} />
      </header>
      <Stage die={die} tumbles={motion === 'tumbles'} />
      <Notices die={die} motion={motion} />
      <InSum address={address} />
      <footer>
        <Type of={dice_type} />
        <Battery die={die} />
        <Roll die={die} disabled={!connected} />
      </footer>
      {isOpen.value ? <Settings die={die} /> : null}
    </article>
  );
};

/** A die without a session. */
export const QuietCard = ({ record }: { readonly record: DieRecord }) => {
  const { address, name, label, dice_type, color } = record;
  return (
    <article class="card die quiet" aria-label={nameOf(record)}>
      <header>
        <Name die={record} />
      </header>
      <div class="stage" aria-hidden="true">
        <Shape type={dice_type ?? 'd6'} color={color} shown="" tumbles={false} />
      </div>
      <p class="rest">{restOf(record)}</p>
      <footer>
        <Type of={dice_type} />
        <Roll die={{ address, name, label }} />
      </footer>
      <div class="actions">
        <Reconnect record={record} />
        <Forget address={address} name={nameOf(record)} />
      </div>
    </article>
  );
};
