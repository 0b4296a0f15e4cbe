/** The alarms of a clock, and the dialog that sets an alarm. */
import { useSignal } from '@preact/signals';
import { commands, type Alarm, type Settings } from '../../clock/contract.js';
import { formatTimeOfDay, parseTimeOfDay } from '../../protocols/cgd1/settings.js';
import { Action } from '../common/action.js';
import type { Outcome } from '../common/api.js';
import { Checkbox, Dialog } from '../common/controls.js';
import { namedFor, texts as shared } from '../common/texts.js';
import { deleteAlarm, setAlarm } from './actions.js';
import { rangeOf } from './range.js';
import { fullNameOf, type ClockView } from './state.js';
import { texts } from './texts.js';
import { TimeInput } from './time-input.js';
import { DAYS, isOnce, rings } from './time.js';
import { Week } from './week.js';

const { min, max } = rangeOf(commands.set_alarm.parameters, 'slot');
const SLOTS = Array.from({ length: max - min + 1 }, (_, index) => min + index);

const NEW = { time: { hour: 7, minute: 0 }, repeat_mask: 0b0011111, enabled: true, snooze: true };

interface EditorProps {
  /** The name of the clock. */
  readonly name: string;
  readonly alarm: Alarm;
  readonly format: Settings['time_format'];
  readonly isNew: boolean;
  readonly linked: boolean;
  readonly save: (alarm: Alarm) => Outcome;
  readonly remove: (slot: number) => Outcome;
  readonly closed: () => void;
}

const Editor = ({ name, alarm, format, isNew, linked, save, remove, closed }: EditorProps) => {
  const draft = useSignal(alarm);
  const edit = (changed: Partial<Alarm>): void => {
    draft.value = { ...draft.value, ...changed };
  };
  const closeIfDone = async (done: Outcome): Outcome => {
    const failure = await done;
    if (failure === null) closed();
    return failure;
  };
  const { slot, time, enabled, snooze } = draft.value;
  return (
    <Dialog
      class="alarm"
      title={
        <>
          {(isNew ? texts.newAlarm : texts.alarm)(slot + 1)} <small>{name}</small>
        </>
      }
      closed={closed}
    >
      <form>
        <TimeInput
          label={texts.time}
          value={formatTimeOfDay(time)}
          format={format}
          change={(text) => edit({ time: parseTimeOfDay(text) })}
        />
        <div class="days" role="group" aria-label={texts.days}>
          {DAYS.map((day) => (
            <button
              key={day}
              type="button"
              aria-label={`${texts.shortDay(day)}, ${texts.day(day)}`}
              aria-pressed={rings(draft.value, day)}
              onClick={() => edit({ repeat_mask: draft.value.repeat_mask ^ (1 << day) })}
            >
              {texts.shortDay(day)}
            </button>
          ))}
        </div>
        <p class="quiet-text" role="status">
          {isOnce(draft.value)
            ? texts.ringsOnce
            : texts.ringsOn(DAYS.filter((day) => rings(draft.value, day)))}
        </p>
        <div class="switches">
          <label>
            <Checkbox checked={enabled} change={(value) => edit({ enabled: value })} /> {texts.enabled}
          </label>
          <label>
            <Checkbox checked={snooze} change={(value) => edit({ snooze: value })} /> {texts.snooze}
          </label>
        </div>
        {linked ? null : <p class="notice">{texts.awayAlarm}</p>}
        <div class="actions">
          <Action
            primary
            submits
            label={texts.save}
            disabled={!linked}
            run={() => closeIfDone(save(draft.value))}
          />
          {isNew ? null : (
            <Action label={texts.remove} disabled={!linked} run={() => closeIfDone(remove(slot))} />
          )}
          <button type="button" onClick={closed}>
            {shared.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
};

export const Alarms = ({ clock }: { readonly clock: ClockView }) => {
  const { address, alarms, settings, linked } = clock;
  const edited = useSignal<Alarm | null>(null);
  if (alarms === null || settings === null) return <p>{texts.reading}</p>;
  const used = new Set(alarms.map(({ slot }) => slot));
  const free = SLOTS.find((slot) => !used.has(slot));
  return (
    <div class="alarms">
      {settings.alarms_enabled ? null : <p class="notice">{texts.alarmsOff}</p>}
      {alarms.length === 0 ? null : (
        <Week clock={clock} settings={settings} alarms={alarms} edit={(alarm) => (edited.value = alarm)} />
      )}
      <div>
        {free === undefined ? null : (
          <button
            type="button"
            aria-label={namedFor(texts.addAlarm, fullNameOf(clock))}
            disabled={!linked}
            onClick={() => (edited.value = { slot: free, ...NEW })}
          >
            {texts.addAlarm}
          </button>
        )}
        {alarms.length === 0 ? <small>{texts.noAlarms}</small> : null}
        {free === undefined ? <small>{texts.allSet(SLOTS.length)}</small> : null}
      </div>
      {edited.value === null ? null : (
        <Editor
          name={fullNameOf(clock)}
          alarm={edited.value}
          format={settings.time_format}
          isNew={!used.has(edited.value.slot)}
          linked={linked}
          save={(alarm) => setAlarm(address, alarm)}
          remove={(slot) => deleteAlarm(address, slot)}
          closed={() => (edited.value = null)}
        />
      )}
    </div>
  );
};
