/** The alarms of a clock in the grid of a week. */
import { useSignal } from '@preact/signals';
import { commands, type Alarm } from '../../clock/contract.js';
import { formatTimeOfDay, parseTimeOfDay } from '../../clock/protocol/time-of-day.js';
import { Action } from '../action.js';
import { deleteAlarm, setAlarm } from './actions.js';
import type { ShelfClock } from './state.js';
import { rangeOf } from './range.js';
import { texts } from './texts.js';
import { DAYS, rings } from './time.js';

const SLOTS = rangeOf(commands.set_alarm.parameters, 'slot');

const isSame = (a: Alarm, b: Alarm): boolean => JSON.stringify(a) === JSON.stringify(b);

interface RowProps {
  readonly address: string;
  readonly linked: boolean;
  readonly alarm: Alarm;
  /** For one that the clock does not have yet: what takes it away. */
  readonly forget?: () => void;
}

const Row = ({ address, linked, alarm, forget }: RowProps) => {
  const { slot } = alarm;
  const draft = useSignal<Alarm | null>(null);
  const shown = draft.value ?? alarm;
  const isChanged = forget !== undefined || !isSame(shown, alarm);
  const edit = (changed: Partial<Alarm>): void => {
    draft.value = { ...shown, ...changed };
  };
  const save = async () => {
    const failure = await setAlarm(address, shown);
    if (failure === null) {
      draft.value = null;
      forget?.();
    }
    return failure;
  };
  const remove = async () => {
    if (forget === undefined) return deleteAlarm(address, slot);
    forget();
    return null;
  };
  return (
    <li class={`alarm${shown.enabled ? '' : ' quiet'}`}>
      <input
        type="time"
        required
        aria-label={`${texts.slot(slot)}: ${texts.time}`}
        value={formatTimeOfDay(shown.time)}
        disabled={!linked}
        onChange={({ currentTarget: { value } }) => {
          if (value !== '') edit({ time: parseTimeOfDay(value) });
        }}
      />
      <span class="days" role="group" aria-label={`${texts.slot(slot)}: ${texts.days}`}>
        {DAYS.map((day) => (
          <button
            key={day}
            type="button"
            aria-label={`${texts.shortDay(day)}, ${texts.day(day)}`}
            aria-pressed={rings(shown, day)}
            disabled={!linked}
            onClick={() => edit({ repeat_mask: shown.repeat_mask ^ (1 << day) })}
          >
            {texts.shortDay(day)}
          </button>
        ))}
      </span>
      <span class="switches">
        <label>
          <input
            type="checkbox"
            checked={shown.enabled}
            disabled={!linked}
            onChange={(event) => edit({ enabled: event.currentTarget.checked })}
          />{' '}
          {texts.enabled}
        </label>
        <label>
          <input
            type="checkbox"
            checked={shown.snooze}
            disabled={!linked}
            onChange={(event) => edit({ snooze: event.currentTarget.checked })}
          />{' '}
          {texts.snooze}
        </label>
      </span>
      <small>
        {texts.slot(slot)}
        {shown.repeat_mask === 0 ? `, ${texts.once}` : ''}
        {forget === undefined ? '' : `, ${texts.newAlarm}`}
      </small>
      <span class="actions">
        {isChanged ? <Action primary label={texts.save} disabled={!linked} run={save} /> : null}
        {isChanged && forget === undefined ? (
          <button type="button" onClick={() => (draft.value = null)}>
            {texts.discard}
          </button>
        ) : (
          <Action label={texts.remove} disabled={!linked && forget === undefined} run={remove} />
        )}
      </span>
    </li>
  );
};

const NEW = { time: { hour: 7, minute: 0 }, repeat_mask: 0b0011111, enabled: true, snooze: true };

export const Alarms = ({ clock }: { readonly clock: ShelfClock }) => {
  const { address, alarms, settings, linked } = clock;
  const added = useSignal<number | null>(null);
  if (alarms === null) return <p>{texts.reading}</p>;
  const used = new Set(alarms.map(({ slot }) => slot));
  const free = Array.from(
    { length: SLOTS.maximum - SLOTS.minimum + 1 },
    (_, index) => SLOTS.minimum + index,
  ).find((slot) => !used.has(slot));
  return (
    <div class="alarms">
      {settings?.alarms_enabled === false ? <p class="notice">{texts.alarmsOff}</p> : null}
      {alarms.length === 0 && added.value === null ? <p class="quiet-text">{texts.noAlarms}</p> : null}
      <ul>
        {alarms.map((alarm) => (
          <Row key={alarm.slot} address={address} linked={linked} alarm={alarm} />
        ))}
        {added.value === null ? null : (
          <Row
            key={`new ${added.value}`}
            address={address}
            linked={linked}
            alarm={{ slot: added.value, ...NEW }}
            forget={() => (added.value = null)}
          />
        )}
      </ul>
      {free === undefined ? <p>{texts.allSlots}</p> : null}
      <button
        type="button"
        disabled={!linked || free === undefined || added.value !== null}
        onClick={() => (added.value = free ?? null)}
      >
        {texts.addAlarm}
      </button>
    </div>
  );
};
