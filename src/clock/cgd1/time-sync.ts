/** Sets the time of a clock, which has whole seconds. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { ABORTED, type DeviceError } from '../../devices/device-error.js';
import type { Link } from '../../ble/ports.js';
import type { TimeSource } from '../../async/time.js';
import { wait } from '../../async/wait.js';
import type { AlarmClock } from './clock.js';

const SECOND_MS = 1_000;

/** Waits for the next whole second of the time of day. Left: `signal` aborted the wait, or the link has ended. */
const turnOfSecond = (
  link: Link,
  time: TimeSource,
  signal: AbortSignal,
): TE.TaskEither<DeviceError, void> => {
  const past = time.date().getTime() % SECOND_MS;
  if (past === 0) return TE.right(undefined);
  return pipe(
    wait<DeviceError>({ time, ms: SECOND_MS - past, signal }, (settle) => link.onEnd(settle)),
    TE.match(
      (unmet) => (unmet === 'timeout' ? E.right(undefined) : E.left(ABORTED)),
      (ended) => E.left(ended),
    ),
  );
};

/** Sets a clock to the time of day, UTC, as a second begins. Right: the time that was sent. */
export const syncTime = (
  device: AlarmClock,
  time: TimeSource,
  signal: AbortSignal,
): TE.TaskEither<DeviceError, Date> =>
  pipe(
    TE.fromIO(() => turnOfSecond(device.link, time, signal)),
    TE.flatten,
    // Rounded: a timer may fire a moment before its time.
    TE.map(() => Math.round(time.date().getTime() / SECOND_MS)),
    TE.chainFirst((seconds) => device.execute('sync_time', { _tag: 'SetTime', seconds })),
    TE.map((seconds) => new Date(seconds * SECOND_MS)),
  );
