/** The parts of a die that its card and its row in the table share. */
import { useComputed } from '@preact/signals';
import type { AnyDiceType, DetailedStatus, DieRecord } from '../../dice/contract.js';
import { Action } from '../common/action.js';
import { BatteryPicture } from '../common/battery.js';
import { Checkbox } from '../common/controls.js';
import { texts as shared } from '../common/texts.js';
import { connect, connectAndRoll, type Connectable } from './actions.js';
import { canRoll, dice, excluded, lostAt, nameOf, records } from './state.js';
import type { Motion } from './stage.js';
import { isSumming } from './sum.js';
import { texts } from './texts.js';
import { momentOf } from '../common/moments.js';

/** Per cent below which a battery is low, as Pixels dice say; for GoDice no level is known. */
const LOW = 10;

/** A die by its address: its session and its record, of which it may have one alone. */
export const useDie = (address: string) => ({
  die: useComputed(() => dice.value.get(address)).value,
  record: useComputed(() => records.value.get(address)).value,
});

export const madeAs = ({ maker, color }: Pick<DieRecord, 'maker' | 'color'>): string =>
  [maker, color === null ? null : texts.body(color)].filter((part) => part !== null).join(', ');

export const Type = ({ of }: { readonly of: AnyDiceType | null }) => (
  <span class="type">{of ?? texts.noType}</span>
);

export const Battery = ({ die }: { readonly die: DetailedStatus }) => {
  const { battery_level: level, charging } = die;
  const isCharging = charging === true;
  const isLow = level !== null && level < LOW && !isCharging;
  return (
    <span class={`battery${isLow ? ' low' : ''}`} title={shared.battery}>
      <span class="live">{shared.battery} </span>
      <BatteryPicture level={level} />
      {level === null ? shared.unknown : texts.level(level)}
      {isLow ? `, ${texts.low}` : ''}
      {isCharging ? `, ${texts.charging}` : ''}
    </span>
  );
};

const awayOf = ({ address, lost_until }: DetailedStatus): string => {
  const since = lostAt.value.get(address) ?? null;
  return texts.away(since && momentOf(since), lost_until && momentOf(lost_until));
};

interface NoticesProps {
  readonly die: DetailedStatus;
  readonly motion: Motion;
}

export const Notices = ({ die, motion }: NoticesProps) => (
  <>
    {die.connected ? null : (
      <p class="notice" role="status">
        {awayOf(die)}
      </p>
    )}
    {motion === 'caught' ? <p class="notice">{texts.notLanded}</p> : null}
    {die.connected && die.face === null && !die.rolling ? <p class="notice">{texts.noFace}</p> : null}
  </>
);

/** Whether a die counts, while a sum is taken. */
export const InSum = ({ address }: { readonly address: string }) =>
  isSumming.value ? (
    <label class="chosen">
      <Checkbox
        checked={!excluded.value.includes(address)}
        change={(counts) => {
          const others = excluded.value.filter((other) => other !== address);
          excluded.value = counts ? others : [...others, address];
        }}
      />
      {texts.inSums}
    </label>
  ) : null;

interface RollProps {
  readonly die: Connectable & Parameters<typeof nameOf>[0];
  readonly primary?: boolean;
  readonly disabled?: boolean;
}

/** Rolls a simulated die; connects it first if it has no session. */
export const Roll = ({ die, primary = false, disabled = false }: RollProps) =>
  canRoll.value ? (
    <Action
      mayEnd={!dice.value.has(die.address)}
      primary={primary}
      label={texts.roll}
      of={nameOf(die)}
      busy={texts.roll}
      disabled={disabled}
      run={(signal) => connectAndRoll(die, signal)}
    />
  ) : null;

/** The words about a die without a session. */
export const restOf = ({ address, last_seen }: DieRecord): string => {
  const time = lostAt.value.get(address);
  return time === undefined ? texts.rests(momentOf(last_seen)) : texts.gone(momentOf(time));
};

export const Reconnect = ({ record }: { readonly record: DieRecord }) => (
  <Action
    mayEnd
    label={shared.connect}
    of={nameOf(record)}
    run={(signal) => connect({ address: record.address }, signal)}
  />
);
