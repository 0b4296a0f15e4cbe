/** Changes of parts of an alarm. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { parseError } from '../codecs/index.js';
import type { DeviceError } from '../devices/device-error.js';
import type { SetAlarm } from './cgd1/clock.js';
import { DAYS, type Alarm, type Requests } from './contract.js';

/** An alarm in the form of the contract. */
export const alarmOf = ([slot, { hour, minute, days, enabled, snooze }]: SetAlarm): Alarm => ({
  slot,
  time: { hour, minute },
  repeat_mask: days,
  enabled,
  snooze,
});

/** The alarm of a slot, changed. Left: the slot has no alarm. */
export const changedAlarm = (
  { address, slot, days = {}, ...change }: Requests['change_alarm']['input'],
  set: readonly SetAlarm[],
): E.Either<DeviceError, Alarm> =>
  pipe(
    set.find(([number]) => number === slot),
    E.fromNullable<DeviceError>(
      parseError(`slot ${slot} of clock ${address} has no alarm: set_alarm sets one`),
    ),
    E.map(alarmOf),
    E.map(({ time, repeat_mask, enabled, snooze }) => ({
      slot,
      time: change.time ?? time,
      repeat_mask: DAYS.reduce((mask, day, bit) => {
        const rings = days[day] ?? (mask & (1 << bit)) !== 0;
        return rings ? mask | (1 << bit) : mask & ~(1 << bit);
      }, repeat_mask),
      enabled: change.enabled ?? enabled,
      snooze: change.snooze ?? snooze,
    })),
  );
