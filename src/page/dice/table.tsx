/** Many dice as a table, with the total of their faces. */
import { useSignal, useComputed } from '@preact/signals';
import type { DetailedStatus, DieRecord } from '../../dice/contract.js';
import { written } from '../common/outlines.js';
import { Forget } from './forget.js';
import { Name } from './name.js';
import { Battery, InSum, Notices, Reconnect, restOf, Roll as RollDie, Type, useDie } from './parts.js';
import { valueOf, type Roll } from './pool.js';
import { Settings, SettingsButton } from './settings.js';
import { Shape } from './shape.js';
import { Stage, useMotion } from './stage.js';
import { addresses, dice, keyOfRoll, nameOf, rolls } from './state.js';
import { texts } from './texts.js';

const LAST_ROLLS = 5;
const COLUMNS = 4;

const lastOf = (address: string): readonly Roll[] => {
  const last: Roll[] = [];
  for (let index = rolls.value.length - 1; index >= 0 && last.length < LAST_ROLLS; index--) {
    const roll = rolls.value[index];
    if (roll?.address === address) last.push(roll);
  }
  return last;
};

const LastRolls = ({ address }: { readonly address: string }) => (
  <ol class="last">
    {useComputed(() => lastOf(address)).value.map((roll) => (
      <li key={keyOfRoll(roll)}>{written(roll.type, roll.face)}</li>
    ))}
  </ol>
);

const Row = ({ die }: { readonly die: DetailedStatus }) => {
  const { address, dice_type, connected } = die;
  const isOpen = useSignal(false);
  const motion = useMotion(die);
  return (
    <>
      <tr class={connected ? '' : 'away'}>
        <td>
          <Stage die={die} tumbles={motion === 'tumbles'} />
        </td>
        <th scope="row">
          <Name die={die} />
          <div class="about">
            <Type of={dice_type} />
            <Battery die={die} />
            <InSum address={address} />
          </div>
          <Notices die={die} motion={motion} />
        </th>
        <td>
          <LastRolls address={address} />
        </td>
        <td>
          <RollDie die={die} disabled={!connected} />
          <SettingsButton die={die} isOpen={isOpen} />
        </td>
      </tr>
      {isOpen.value ? (
        <tr>
          <td colSpan={COLUMNS}>
            <Settings die={die} />
          </td>
        </tr>
      ) : null}
    </>
  );
};

const QuietRow = ({ record }: { readonly record: DieRecord }) => {
  const { address, name, label, dice_type, color } = record;
  return (
    <tr class="quiet">
      <td>
        <div class="stage" aria-hidden="true">
          <Shape type={dice_type ?? 'd6'} color={color} shown="" tumbles={false} />
        </div>
      </td>
      <th scope="row">
        <Name die={record} />
        <div class="about">
          <Type of={dice_type} /> <span class="rest">{restOf(record)}</span>
        </div>
      </th>
      <td colSpan={COLUMNS - 2}>
        <div class="actions">
          <RollDie die={{ address, name, label }} />
          <Reconnect record={record} />
          <Forget address={address} name={nameOf(record)} />
        </div>
      </td>
    </tr>
  );
};

const AnyRow = ({ address }: { readonly address: string }) => {
  const { die, record } = useDie(address);
  if (die !== undefined) return <Row die={die} />;
  return record === undefined ? null : <QuietRow record={record} />;
};

/** The sum of the faces that are up, without a formula. */
const Total = () => {
  const all = [...dice.value.values()];
  const faces = all.flatMap(({ dice_type, face }) => (face === null ? [] : [valueOf(dice_type, face)]));
  return (
    <>
      <output class="total">
        {faces.length === 0 ? texts.noTotal : texts.total(faces.reduce((sum, value) => sum + value, 0))}
      </output>
      {faces.length < all.length ? <small>{texts.ofDice(faces.length, all.length)}</small> : null}
    </>
  );
};

export const Table = () => (
  <table class="dice">
    <thead>
      <tr>
        <th scope="col">{texts.face}</th>
        <th scope="col">{texts.die}</th>
        <th scope="col">{texts.lastRolls}</th>
        <td />
      </tr>
    </thead>
    <tbody>
      {addresses.value.map((address) => (
        <AnyRow key={address} address={address} />
      ))}
    </tbody>
    <tfoot>
      <tr>
        <th scope="row">{texts.totalOf}</th>
        <td colSpan={COLUMNS - 1}>
          <Total />
        </td>
      </tr>
    </tfoot>
  </table>
);
