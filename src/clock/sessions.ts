/** All clocks that the server holds on to: at most one link and one session for each. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { openAttempts } from '../ble/attempts.js';
import type { Failure } from '../ble/keep-trying.js';
import { openKeepers } from '../ble/keepers.js';
import type { Address } from '../ble/ports.js';
import { notConnected, shuttingDown, type ServerError } from '../http/index.js';
import { isAuthFailure } from './authentication.js';
import type { AlarmClock } from './clock.js';
import type { ClockEvent } from './contract.js';
import { findClock, openBound, type Found, type Opened, type OpeningOptions } from './opening.js';
import { clockNotConnected, startSession, type Session } from './session.js';

export interface SessionsOptions extends OpeningOptions {
  readonly random: () => number;
  readonly emit: (address: Address, event: ClockEvent) => void;
  /** Told whenever a link has begun or ended. */
  readonly changed: () => void;
}

export interface Sessions {
  /** Those with a link. */
  readonly linked: readonly Session[];
  readonly isLinked: (address: Address) => boolean;
  /** Whether commands for a clock may be given; Left `not_connected`. */
  readonly check: (address: Address) => E.Either<ServerError, void>;
  /** The session of a clock; one let go for idleness is connected again. Left `not_connected`. */
  readonly use: (address: Address, signal: AbortSignal) => TE.TaskEither<ServerError, Session>;
  /** Runs a command on a clock, as `use` finds it, when all that came before it are done. */
  readonly run: <A>(
    address: Address,
    signal: AbortSignal,
    command: (device: AlarmClock) => TE.TaskEither<ServerError, A>,
  ) => TE.TaskEither<ServerError, A>;
  /**
   * The session of a clock: the one it has, or a new one. `signal` is the client's: when all clients that wait for a
   * clock have gone, it is given up. Left leaves nothing behind.
   */
  readonly connect: (address: Address, signal: AbortSignal) => TE.TaskEither<ServerError, Connected>;
  /** Ends a session, or the attempt at one; resolves when no link is left. Left `not_connected`: there is neither. */
  readonly disconnect: (address: Address) => TE.TaskEither<ServerError, void>;
  /** Connects a clock as soon as it can be and never gives it up again. Once for each clock. */
  readonly keep: (address: Address) => void;
  /** Ends all sessions and attempts; resolves when no link is left. */
  readonly close: Task<void>;
}

export interface Connected {
  readonly session: Session;
  /** The clock was bound for it. */
  readonly paired: boolean;
}

const disconnectedMeanwhile = (address: Address): ServerError =>
  notConnected('not_connected', `device ${address} is not connected: a client disconnected it meanwhile`);

const failureOf = (error: ServerError): Failure => (error._tag === 'NotConnected' ? 'absent' : 'refused');

export const openSessions = (options: SessionsOptions): Sessions => {
  const { radio, limits, clock, random, log, sightings, emit, changed } = options;
  const byAddress = new Map<Address, Session>();
  const attempts = openAttempts<ServerError, Connected>(clock, ({ session }) => session.end());
  /** Let go for idleness: the next command connects them again. */
  const resting = new Set<Address>();
  /** Whose subscribers were told of the end of a link, and not yet of the next. */
  const missed = new Set<Address>();
  const keepers = openKeepers({ radio, clock, random });

  const isLinked = (address: Address): boolean => {
    const session = byAddress.get(address);
    return session !== undefined && E.isRight(session.connected);
  };

  const linkBegan = (address: Address): void => {
    if (missed.delete(address)) emit(address, { event: 'reconnected', data: {} });
    changed();
  };

  const linkEnded = (address: Address): void => {
    missed.add(address);
    emit(address, { event: 'disconnected', data: {} });
    changed();
  };

  const end = (session: Session): Promise<void> => {
    const over = session.end();
    attempts.leave(session.address, over);
    return over;
  };

  const reopen = (address: Address, signal: AbortSignal): TE.TaskEither<ServerError, Opened> =>
    pipe(
      TE.fromIO(() => radio.heard(address)),
      TE.chain((advertisement) => {
        if (advertisement !== undefined) sightings.note(advertisement);
        return openBound(options, address, signal);
      }),
    );

  const register = (found: Found, { device, paired }: Opened): Session => {
    const { address } = device.link;
    let lastFailure: ServerError | undefined;
    const session = startSession(device, {
      address,
      radio,
      clock,
      random,
      log,
      limits,
      found,
      reconnectMs: keepers.isKept(address) ? null : limits.reconnect,
      reopen: (signal) =>
        pipe(
          reopen(address, signal),
          TE.bimap(
            (error) => {
              const news = isAuthFailure(error) && !isAuthFailure(lastFailure);
              log[news ? 'warn' : 'info']({ address, error }, 'a lost clock could not be connected');
              lastFailure = error;
              return failureOf(error);
            },
            (opened) => opened.device,
          ),
        ),
      lastFailure: () => lastFailure,
      attached: () => {
        lastFailure = undefined;
        linkBegan(address);
      },
      detached: () => linkEnded(address),
      ended: () => {
        byAddress.delete(address);
        log.info({ address }, 'a session is over');
      },
      read: ({ temperature, humidity }) => {
        sightings.outdate(address);
        emit(address, { event: 'sensor_update', data: { temperature, humidity } });
      },
      idle: () => {
        log.info({ address }, 'an idle clock is let go');
        resting.add(address);
        void end(session);
      },
    });
    byAddress.set(address, session);
    resting.delete(address);
    log.info({ address, paired }, 'a clock is connected');
    changed();
    return session;
  };

  const start =
    (address: Address) =>
    (signal: AbortSignal): TE.TaskEither<ServerError, Connected> =>
      pipe(
        findClock(options, address, signal),
        TE.chain((found) =>
          pipe(
            openBound(options, address, signal),
            TE.map((opened) => ({ session: register(found, opened), paired: opened.paired })),
          ),
        ),
      );

  /** Begins at once, so that a disconnect that came later ends it. */
  const connect: Sessions['connect'] = (address, signal) => async () => {
    const session = byAddress.get(address);
    if (session === undefined) {
      const joined = await attempts.join(address, start(address), signal)();
      return pipe(
        joined,
        E.mapLeft((why) => (why === 'aborted' ? shuttingDown : why)),
      );
    }
    return pipe(
      session.whenConnected(signal),
      TE.map(() => ({ session, paired: false })),
    )();
  };

  const use: Sessions['use'] = (address, signal) => () => {
    const session = byAddress.get(address);
    if (session !== undefined) return Promise.resolve(session.use());
    return resting.has(address)
      ? pipe(
          connect(address, signal),
          TE.map((again) => again.session),
        )()
      : Promise.resolve(E.left(clockNotConnected(address)));
  };

  return {
    get linked() {
      return [...byAddress.values()].filter(({ address }) => isLinked(address));
    },
    isLinked,
    check: (address) =>
      isLinked(address) || resting.has(address) ? E.right(undefined) : E.left(clockNotConnected(address)),
    use,
    run: (address, signal, command) => () => {
      // A session is asked at once, so that commands keep the order in which they came.
      const session = byAddress.get(address);
      if (session !== undefined) return session.run(command)();
      return pipe(
        use(address, signal),
        TE.chain((again) => again.run(command)),
      )();
    },
    connect,
    disconnect: (address) => async () => {
      const session = byAddress.get(address);
      const ending =
        session === undefined
          ? attempts.end(address, disconnectedMeanwhile(address))
          : end(session).then(() => true);
      const wanted = [resting.delete(address), keepers.stop(address)].includes(true);
      return (await ending) || wanted ? E.right(undefined) : E.left(clockNotConnected(address));
    },
    keep: (address) =>
      keepers.keep(address, (signal) =>
        pipe(
          connect(address, signal),
          TE.mapLeft((error) => {
            log.info({ address, error }, 'a kept clock could not be connected');
            return failureOf(error);
          }),
        ),
      ),
    close: async () => {
      keepers.close();
      for (const session of byAddress.values()) void end(session);
      await attempts.close();
    },
  };
};
