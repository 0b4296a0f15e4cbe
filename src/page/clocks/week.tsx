/** The alarms of a clock in the grid of a week, the earliest of the day first. */
import type { Alarm, Settings } from '../../clock/contract.js';
import { fullNameOf, now, type ClockView } from './state.js';
import { namedFor } from '../common/texts.js';
import { texts } from './texts.js';
import { byTime, dayOf, DAYS, inWords, isOnce, localTime, nextDay, rings } from './time.js';

const stateOf = ({ enabled, snooze, repeat_mask }: Alarm): string =>
  [
    ...(enabled ? [] : [texts.off]),
    ...(isOnce({ repeat_mask }) ? [texts.once] : []),
    ...(snooze ? [texts.snoozes] : []),
  ].join(', ');

interface WeekProps {
  readonly clock: ClockView;
  readonly settings: Settings;
  readonly alarms: readonly Alarm[];
  readonly edit: (alarm: Alarm) => void;
}

export const Week = ({ clock, settings, alarms, edit }: WeekProps) => {
  const date = localTime(now.value, settings.timezone_offset_minutes);
  const today = dayOf(date);
  const format = settings.time_format;
  return (
    <table class="week" aria-label={texts.week}>
      <thead>
        <tr>
          <th scope="col">{texts.time}</th>
          {DAYS.map((day) => (
            <th
              key={day}
              scope="col"
              abbr={texts.day(day)}
              class={day === today ? 'today' : ''}
              aria-current={day === today ? 'date' : undefined}
            >
              {texts.shortDay(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {byTime(alarms).map((alarm) => (
          <tr key={alarm.slot} class={alarm.enabled && settings.alarms_enabled ? '' : 'quiet'}>
            <th scope="row">
              <button
                type="button"
                aria-label={namedFor(inWords(alarm.time, format), fullNameOf(clock))}
                title={texts.edit}
                onClick={() => edit(alarm)}
              >
                {inWords(alarm.time, format)}
              </button>
              <small>{stateOf(alarm)}</small>
            </th>
            {DAYS.map((day) => {
              const once = isOnce(alarm) && day === nextDay(alarm, date);
              const mark = once ? texts.ringsOnce : texts.rings;
              return (
                <td key={day} class={day === today ? 'today' : ''}>
                  {once || rings(alarm, day) ? (
                    <span class={once ? 'mark once' : 'mark'} role="img" aria-label={mark} title={mark} />
                  ) : null}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
};
