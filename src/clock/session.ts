/** A session: one clock as clients know it, through losses of its link. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { maintainConnection, type ConnectionOptions } from '../devices/connection.js';
import { ABORTED, type DeviceError } from '../devices/device-error.js';
import type { Address } from '../ble/ports.js';
import type { Cancel } from '../async/time.js';
import { SerialQueue } from '../async/tasks.js';
import { wait } from '../async/wait.js';
import type { AlarmClock } from './cgd1/clock.js';
import type { ClockLimits } from './config.js';
import type { Found } from './opening.js';
import type { Reading } from './cgd1/protocol/index.js';

/** Commands that may wait for one clock. */
const MAX_WAITING = 64;

export interface SessionOptions extends ConnectionOptions<AlarmClock> {
  readonly limits: ClockLimits;
  readonly found: Found;
  /** The clock was bound for this session. */
  readonly paired: boolean;
  readonly onReading: (reading: Reading) => void;
  /** Why the last attempt to reconnect failed; undefined if none did since the link was lost. */
  readonly lastFailure: () => DeviceError | undefined;
  /** Called when the clock has had no command for so long that its link should be ended. */
  readonly onIdle: () => void;
}

export const clockNotConnected = (address: Address): DeviceError => ({
  _tag: 'NotConnected',
  address,
  cause: 'unknown',
});

/**
 * Starts the session of a clock that was just opened. Commands fail with `NotConnected` during a link loss, and immediately
 * with the reason when the link is lost.
 */
export const startSession = (first: AlarmClock, options: SessionOptions) => {
  const { address, time, limits, found, paired } = options;
  const away = clockNotConnected(address);
  const readers = new Set<() => void>();
  let newest: Reading | undefined;
  let cancelIdle: Cancel = () => undefined;

  const startIdleTimer = (): void => {
    cancelIdle();
    if (queue.size > 0 || limits.idle === null || connection.phase._tag !== 'Connected') return;
    cancelIdle = time.after(limits.idle, options.onIdle);
  };

  let queue = new SerialQueue(startIdleTimer);

  const receive = (reading: Reading): void => {
    newest = reading;
    options.onReading(reading);
    for (const reader of readers) reader();
  };

  const connection = maintainConnection(first, {
    ...options,
    onConnected: (device, again) => {
      newest = undefined;
      queue = new SerialQueue(startIdleTimer);
      options.onConnected(device, again);
      device.listen(receive);
      if (again) startIdleTimer();
    },
    onSessionEnded: () => {
      // The link may take long to end: nobody is idle meanwhile.
      cancelIdle();
      options.onSessionEnded();
    },
    onDisconnected: () => {
      cancelIdle();
      newest = undefined;
      options.onDisconnected();
    },
  });
  startIdleTimer();

  const connected = (): E.Either<DeviceError, void> =>
    connection.phase._tag === 'Connected' ? E.right(undefined) : E.left(away);

  return {
    address,
    found,
    /** The clock was bound for it. */
    paired,
    get connected(): E.Either<DeviceError, void> {
      return connected();
    },
    /** The newest reading of this link; undefined before the first. */
    get newest(): Reading | undefined {
      return newest;
    },
    /** The same as `connected`; the clock does not count as idle. */
    use: (): E.Either<DeviceError, void> => {
      startIdleTimer();
      return connected();
    },
    /** Waits out a link loss. Left when the clock does not come back in time: why, or else `NotConnected`. */
    whenConnected: (signal: AbortSignal): TE.TaskEither<DeviceError, void> =>
      pipe(
        connection.whenSettled({ time, ms: limits.find, signal }),
        TE.mapLeft((unmet) => (unmet === 'aborted' ? ABORTED : (options.lastFailure() ?? away))),
        TE.chain((isBack) => (isBack ? TE.right(undefined) : TE.left(away))),
      ),
    /** Runs a command when all before it are done. Left: no link, its loss, or `Busy` when too many wait. */
    run:
      <A>(command: (device: AlarmClock) => TE.TaskEither<DeviceError, A>): TE.TaskEither<DeviceError, A> =>
      () => {
        const { phase } = connection;
        if (phase._tag !== 'Connected') return Promise.resolve(E.left(away));
        if (queue.size >= MAX_WAITING) return Promise.resolve(E.left({ _tag: 'Busy', address }));
        const { device } = phase;
        cancelIdle();
        return queue.run(() => {
          const reason = device.link.ended;
          return reason === undefined ? command(device)() : E.left(reason);
        });
      },
    /** The same as `newest`; waits for the first. Left `NoReading`. */
    reading: (signal: AbortSignal): TE.TaskEither<DeviceError, Reading> =>
      pipe(
        wait<E.Either<DeviceError, Reading>>({ time, ms: limits.reading, signal }, (settle) => {
          const look = (): void => {
            if (connection.phase._tag !== 'Connected') settle(E.left(away));
            else if (newest !== undefined) settle(E.right(newest));
          };
          readers.add(look);
          const unwatch = connection.watch(look);
          look();
          return () => {
            unwatch();
            readers.delete(look);
          };
        }),
        TE.mapLeft((unmet): DeviceError =>
          unmet === 'aborted' ? ABORTED : { _tag: 'NoReading', address, ms: limits.reading },
        ),
        TE.chain(TE.fromEither),
      ),
    /** Ends the session immediately and resolves when its link has ended. */
    end: connection.end,
  };
};

export type Session = ReturnType<typeof startSession>;
