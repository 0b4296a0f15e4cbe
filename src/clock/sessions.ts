/** All sessions of a server, by address: at most one link and one session for each clock. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { openAutoConnect } from '../devices/auto-connect.js';
import type { DeviceError } from '../devices/device-error.js';
import { claimed, searched, type Ownership } from '../devices/ownership.js';
import type { Address } from '../ble/ports.js';
import { singleFlight } from '../devices/single-flight.js';
import type { AlarmClock } from './cgd1/clock.js';
import type { ClockEvent } from './contract.js';
import { findClock, openBound, type Found, type Opened, type OpeningOptions } from './opening.js';
import { clockNotConnected, startSession, type Session } from './session.js';

export interface SessionsOptions extends OpeningOptions {
  readonly ownership: Ownership;
  readonly random: () => number;
  readonly emit: (address: Address, event: ClockEvent) => void;
  /** Called whenever the session of a clock, or a link of it, has begun or ended. */
  readonly changed: (address: Address) => void;
  /** Called when a client has ended a session. */
  readonly dismissed: (address: Address) => void;
}

export interface Sessions {
  readonly all: readonly Session[];
  /** Those with a link. */
  readonly linked: readonly Session[];
  /** The clocks that have a session, or that the next command connects again. */
  readonly addresses: readonly Address[];
  /** Whether a clock is one of those. */
  readonly has: (address: Address) => boolean;
  readonly isLinked: (address: Address) => boolean;
  /** Whether commands for a clock may be given; Left `NotConnected`. */
  readonly check: (address: Address) => E.Either<DeviceError, void>;
  /** The session of a clock; one whose link was ended for idleness is connected again. Left `NotConnected`. */
  readonly use: (address: Address, signal: AbortSignal) => TE.TaskEither<DeviceError, Session>;
  /** Runs a command on a clock, as `use` finds it, when all that came before it are done. */
  readonly run: <A>(
    address: Address,
    signal: AbortSignal,
    command: (device: AlarmClock) => TE.TaskEither<DeviceError, A>,
  ) => TE.TaskEither<DeviceError, A>;
  /**
   * The session of a clock: the one it has, or a new one. `signal` is the client's: when all clients that wait for a
   * clock have gone, the attempt is aborted. Left leaves nothing behind.
   */
  readonly connect: (address: Address, signal: AbortSignal) => TE.TaskEither<DeviceError, Connected>;
  /** Ends a session, or the attempt at one; resolves when no link is left. Left `NotConnected`: there is neither. */
  readonly disconnect: (address: Address) => TE.TaskEither<DeviceError, void>;
  /** Connects a clock as soon as it can be, and never gives it up unless a client disconnects it. Once for each clock. */
  readonly keep: (address: Address) => void;
  /** Ends all sessions and attempts; resolves when no link is left. */
  readonly close: Task<void>;
}

export interface Connected {
  readonly session: Session;
  /** The clock was bound for it. */
  readonly paired: boolean;
}

export const openSessions = (options: SessionsOptions): Sessions => {
  const { radio, ownership, limits, time, random, log, sightings, emit, changed, dismissed } = options;
  const byAddress = new Map<Address, Session>();
  const attempts = singleFlight<Connected>(time, ({ session }) => session.end());
  /** Disconnected for idleness: the next command connects them again. */
  const idle = new Set<Address>();
  /** Those of which a `disconnected` event was sent, and no `reconnected` since. */
  const lost = new Set<Address>();
  const autoConnect = openAutoConnect({ radio, time, random, log });

  const isLinked = (address: Address): boolean => {
    const session = byAddress.get(address);
    return session !== undefined && E.isRight(session.connected);
  };

  const linkBegan = (address: Address): void => {
    if (lost.delete(address)) emit(address, { event: 'reconnected', data: {} });
    changed(address);
  };

  const linkEnded = (address: Address): void => {
    lost.add(address);
    emit(address, { event: 'disconnected', data: {} });
    changed(address);
  };

  const end = (session: Session): Promise<void> => {
    const over = session.end();
    attempts.delay(session.address, over);
    return over;
  };

  const register = (found: Found, { device, paired }: Opened): Session => {
    const { address } = device.link;
    let lastFailure: DeviceError | undefined;
    const session = startSession(device, {
      address,
      radio,
      time,
      random,
      log,
      limits,
      found,
      reconnectMs: autoConnect.has(address) ? null : limits.reconnect,
      reconnect: (signal) =>
        pipe(
          openBound(options, address, signal),
          TE.bimap(
            (error) => {
              if (error._tag === 'TokenRefused' && lastFailure?._tag !== 'TokenRefused') {
                log.warn({ address }, 'a lost clock does not accept its token: it is bound to another app');
              }
              log.info({ address, error }, 'a lost clock could not be connected');
              lastFailure = error;
              return error;
            },
            (opened) => opened.device,
          ),
        ),
      lastFailure: () => lastFailure,
      onConnected: () => {
        lastFailure = undefined;
        linkBegan(address);
      },
      onDisconnected: () => linkEnded(address),
      onEnded: () => {
        byAddress.delete(address);
        log.info({ address }, 'a session is over');
        changed(address);
      },
      onOver: () => ownership.release(address),
      onReading: ({ temperature, humidity }) => {
        sightings.outdate(address);
        emit(address, { event: 'sensor_update', data: { temperature, humidity } });
      },
      onIdle: () => {
        log.info({ address }, 'an idle clock is disconnected');
        idle.add(address);
        void end(session);
      },
    });
    byAddress.set(address, session);
    idle.delete(address);
    log.info({ address, paired }, 'a clock is connected');
    changed(address);
    return session;
  };

  const start =
    (address: Address) =>
    (signal: AbortSignal): TE.TaskEither<DeviceError, Connected> =>
      pipe(
        searched(ownership, address, findClock(options, address, signal)),
        TE.chain((found) =>
          pipe(
            claimed(ownership, address, signal, openBound(options, address, signal)),
            TE.map((opened) => ({ session: register(found, opened), paired: opened.paired })),
          ),
        ),
      );

  /** Begins immediately, so that a later disconnect ends it. */
  const connect: Sessions['connect'] = (address, signal) => async () => {
    const session = byAddress.get(address);
    if (session === undefined) return attempts.join(address, start(address), signal)();
    return pipe(
      session.whenConnected(signal),
      TE.map(() => ({ session, paired: false })),
    )();
  };

  const use: Sessions['use'] = (address, signal) => () => {
    const session = byAddress.get(address);
    if (session !== undefined) return Promise.resolve(session.use());
    return idle.has(address)
      ? pipe(
          connect(address, signal),
          TE.map((again) => again.session),
        )()
      : Promise.resolve(E.left(clockNotConnected(address)));
  };

  const forgetTaken = ownership.onTaken((address, owner) => {
    const session = byAddress.get(address);
    if (session === undefined) void attempts.abort(address, { _tag: 'OwnedElsewhere', address, owner });
    else void end(session);
    autoConnect.again(address);
  });

  return {
    get all() {
      return [...byAddress.values()];
    },
    get linked() {
      return [...byAddress.values()].filter(({ address }) => isLinked(address));
    },
    get addresses() {
      return [...new Set([...byAddress.keys(), ...idle])];
    },
    has: (address) => byAddress.has(address) || idle.has(address),
    isLinked,
    check: (address) =>
      isLinked(address) || idle.has(address) ? E.right(undefined) : E.left(clockNotConnected(address)),
    use,
    run: (address, signal, command) => () => {
      // A command is queued immediately, so that commands keep their order.
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
          ? attempts.abort(address, { _tag: 'NotConnected', address, why: 'disconnected' })
          : end(session).then(() => true);
      const wanted = [idle.delete(address), autoConnect.stop(address)].includes(true);
      changed(address);
      const wasHad = (await ending) || wanted;
      if (wasHad) dismissed(address);
      return wasHad ? E.right(undefined) : E.left(clockNotConnected(address));
    },
    keep: (address) =>
      autoConnect.add(address, (signal) =>
        pipe(
          connect(address, signal),
          TE.mapLeft((error) => {
            log.info({ address, error }, 'a kept clock could not be connected');
            return error;
          }),
        ),
      ),
    close: async () => {
      forgetTaken();
      autoConnect.close();
      for (const session of byAddress.values()) void end(session);
      await attempts.close();
    },
  };
};
