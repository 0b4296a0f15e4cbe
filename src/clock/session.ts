/** A session: one clock as the server's clients know it, through losses of its link. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { holdDevice, type ConnectionOptions } from '../ble/connection.js';
import type { Address } from '../ble/ports.js';
import { coreError, notConnected, radioError, shuttingDown, type ServerError } from '../http/index.js';
import type { Cancel } from '../time.js';
import { SerialQueue } from '../serial-queue.js';
import { wait } from '../wait.js';
import type { AlarmClock } from './clock.js';
import type { ClockLimits } from './config.js';
import type { Found } from './opening.js';
import type { Reading } from './protocol/index.js';

/** Commands that may wait for one clock. */
const MAX_WAITING = 64;

export interface SessionOptions extends ConnectionOptions<AlarmClock> {
  readonly limits: ClockLimits;
  readonly found: Found;
  readonly read: (reading: Reading) => void;
  /** Why the last attempt to connect it again failed; undefined if none did since the link was lost. */
  readonly lastFailure: () => ServerError | undefined;
  /** Nobody has had a command for the clock for so long that its link should be let go. */
  readonly idle: () => void;
}

/** Commands fail with `not_connected` (404) during a link loss, and at once with the reason when the link is lost. */
export interface Session {
  readonly address: Address;
  readonly found: Found;
  readonly connected: E.Either<ServerError, Session>;
  /** Waits out a link loss. Left when the clock does not come back in time: why, or else 404. */
  readonly whenConnected: (signal: AbortSignal) => TE.TaskEither<ServerError, Session>;
  /** The same as `connected`; the clock does not count as idle. */
  readonly use: () => E.Either<ServerError, Session>;
  /** Runs a command when all before it are done. Left: no link, its loss, or more waits than may (429). */
  readonly run: <A>(
    command: (device: AlarmClock) => TE.TaskEither<ServerError, A>,
  ) => TE.TaskEither<ServerError, A>;
  /** The newest reading of this link; undefined before the first. */
  readonly newest: Reading | undefined;
  /** The same; waits for the first. */
  readonly reading: (signal: AbortSignal) => TE.TaskEither<ServerError, Reading>;
  /** Ends the session at once and resolves when its link has ended. */
  readonly end: Task<void>;
}

export const clockNotConnected = (address: Address): ServerError =>
  notConnected('not_connected', `device ${address} is not connected`);

/** Starts the session of a clock that was just opened. */
export const startSession = (first: AlarmClock, options: SessionOptions): Session => {
  const { address, clock, limits, found } = options;
  const away = clockNotConnected(address);
  const readers = new Set<() => void>();
  let newest: Reading | undefined;
  let queue = new SerialQueue();
  let waiting = 0;
  let cancelIdle: Cancel = () => undefined;

  const rest = (): void => {
    cancelIdle();
    if (waiting > 0 || limits.idle === null || connection.phase._tag !== 'Connected') return;
    cancelIdle = clock.after(limits.idle, options.idle);
  };

  const heard = (reading: Reading): void => {
    newest = reading;
    options.read(reading);
    for (const reader of readers) reader();
  };

  const connection = holdDevice(first, {
    ...options,
    attached: (device, again) => {
      newest = undefined;
      queue = new SerialQueue();
      options.attached(device, again);
      device.listen(heard);
      if (again) rest();
    },
    detached: () => {
      cancelIdle();
      newest = undefined;
      options.detached();
    },
  });
  rest();

  const session: Session = {
    address,
    found,
    get connected() {
      return connection.phase._tag === 'Connected' ? E.right(session) : E.left(away);
    },
    get newest() {
      return newest;
    },
    use: () => {
      rest();
      return session.connected;
    },
    whenConnected: (signal) =>
      pipe(
        connection.settled({ clock, ms: limits.find, signal }),
        TE.mapLeft((unmet) => (unmet === 'aborted' ? shuttingDown : (options.lastFailure() ?? away))),
        TE.chainEitherK(() => session.connected),
      ),
    run: (command) => async () => {
      const { phase } = connection;
      if (phase._tag !== 'Connected') return E.left(away);
      if (waiting >= MAX_WAITING) return E.left(radioError({ _tag: 'Busy', address }));
      const { device } = phase;
      waiting += 1;
      cancelIdle();
      try {
        return await queue.run(() => {
          const why = device.link.ended;
          return why === undefined ? command(device)() : Promise.resolve(E.left(radioError(why)));
        });
      } finally {
        waiting -= 1;
        rest();
      }
    },
    reading: (signal) =>
      pipe(
        wait<E.Either<ServerError, Reading>>({ clock, ms: limits.reading, signal }, (settle) => {
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
        TE.mapLeft((unmet) =>
          unmet === 'aborted'
            ? shuttingDown
            : coreError('no_reading', `device ${address} sent no reading within ${limits.reading / 1000} s`),
        ),
        TE.chain(TE.fromEither),
      ),
    end: connection.end,
  };
  return session;
};
