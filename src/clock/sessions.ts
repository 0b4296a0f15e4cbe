/** All sessions of a server, by address: at most one link and one session for each clock. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Address } from '../ble/ports.js';
import {
  openSessionRegistry,
  type SessionBasis,
  type SessionRegistryOptions,
} from '../devices/session-registry.js';
import type { AlarmClock } from './cgd1/clock.js';
import type { ClockEvent } from './contract.js';
import {
  findClock,
  connectAndAuthenticate,
  type Found,
  type Opened,
  type OpeningOptions,
} from './opening.js';
import { clockNotConnected, startSession, type Session } from './session.js';

export interface SessionsOptions extends OpeningOptions, SessionRegistryOptions {
  readonly emit: (address: Address, event: ClockEvent) => void;
  /** Called whenever the session of a clock, or a link of it, has begun or ended. */
  readonly changed: (address: Address) => void;
  /** Called when a client has ended a session. */
  readonly dismissed: (address: Address) => void;
}

export interface Connected {
  readonly session: Session;
  /** The clock was bound for it. */
  readonly paired: boolean;
}

export const openSessions = (options: SessionsOptions) => {
  const { limits, log, sightings, emit, changed, dismissed } = options;
  /** Disconnected for idleness: the next command connects them again. */
  const idle = new Set<Address>();
  /** Those of which a `disconnected` event was sent, and no `reconnected` since. */
  const lost = new Set<Address>();

  const linkBegan = (address: Address): void => {
    if (lost.delete(address)) emit(address, { event: 'reconnected', data: {} });
    changed(address);
  };

  const linkEnded = (address: Address): void => {
    lost.add(address);
    emit(address, { event: 'disconnected', data: {} });
    changed(address);
  };

  const start = (found: Found, { device, paired }: Opened, basis: SessionBasis): Session => {
    const { address } = basis;
    let lastFailure: DeviceError | undefined;
    idle.delete(address);
    log.info({ address, paired }, 'a clock is connected');
    return startSession(device, {
      ...basis,
      limits,
      found,
      paired,
      reconnect: (signal) =>
        pipe(
          connectAndAuthenticate(options, address, signal),
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
      onReading: ({ temperature, humidity }) => {
        sightings.markStale(address);
        emit(address, { event: 'sensor_update', data: { temperature, humidity } });
      },
      onSignal: (rssi) => {
        sightings.linkHeard(address, rssi);
        changed(address);
      },
      onIdle: () => {
        log.info({ address }, 'an idle clock is disconnected');
        idle.add(address);
        detached(registry.disconnect(address));
      },
    });
  };

  const registry = openSessionRegistry<{ readonly address: Address }, Found, Opened, Session>(options, {
    reconnectMs: limits.reconnect,
    search: ({ address }, signal) => findClock(options, address, signal),
    open: ({ address }, _found, signal) => connectAndAuthenticate(options, address, signal),
    start: (_request, found, opened, basis) => start(found, opened, basis),
  });

  const connect =
    (address: Address, signal: AbortSignal): TE.TaskEither<DeviceError, Connected> =>
    () => {
      const isNew = registry.of(address) === undefined;
      return pipe(
        registry.connect({ address }, signal),
        TE.map((session) => ({ session, paired: isNew && session.paired })),
      )();
    };

  const use =
    (address: Address, signal: AbortSignal): TE.TaskEither<DeviceError, Session> =>
    () => {
      const session = registry.of(address);
      if (session !== undefined) return Promise.resolve(E.map(() => session)(session.use()));
      return idle.has(address)
        ? registry.connect({ address }, signal)()
        : Promise.resolve(E.left(clockNotConnected(address)));
    };

  return {
    get all(): readonly Session[] {
      return registry.all;
    },
    /** Those with a link. */
    get linked(): readonly Session[] {
      return registry.all.filter(({ connected }) => E.isRight(connected));
    },
    /** The clocks that have a session, or that the next command connects again. */
    get addresses(): readonly Address[] {
      return [...new Set([...registry.all.map(({ address }) => address), ...idle])];
    },
    /** Whether a clock is one of those. */
    has: (address: Address): boolean => registry.of(address) !== undefined || idle.has(address),
    isConnected: registry.isConnected,
    /** Whether commands for a clock may be given; Left `NotConnected`. */
    check: (address: Address): E.Either<DeviceError, void> =>
      registry.isConnected(address) || idle.has(address)
        ? E.right(undefined)
        : E.left(clockNotConnected(address)),
    /** The session of a clock; one whose link was ended for idleness is connected again. Left `NotConnected`. */
    use,
    /** Runs a command on a clock, as `use` finds it, when all that came before it are done. */
    run:
      <A>(
        address: Address,
        signal: AbortSignal,
        command: (device: AlarmClock) => TE.TaskEither<DeviceError, A>,
      ): TE.TaskEither<DeviceError, A> =>
      () => {
        // A command is queued immediately, so that commands keep their order.
        const session = registry.of(address);
        if (session !== undefined) return session.run(command)();
        return pipe(
          use(address, signal),
          TE.chain((again) => again.run(command)),
        )();
      },
    /**
     * The session of a clock: the one it has, or a new one. `signal` is the client's: when all clients that wait for a
     * clock have gone, the attempt is aborted. Left leaves nothing behind.
     */
    connect,
    /** Ends a session, or the attempt at one; resolves when no link is left. Left `NotConnected`: there is neither. */
    disconnect:
      (address: Address): TE.TaskEither<DeviceError, void> =>
      async () => {
        const ending = registry.disconnect(address);
        const wasIdle = idle.delete(address);
        changed(address);
        const hadAny = (await ending) || wasIdle;
        if (hadAny) dismissed(address);
        return hadAny ? E.right(undefined) : E.left(clockNotConnected(address));
      },
    /** Connects a clock as soon as it can be, and never gives it up unless a client disconnects it. Once for each clock. */
    autoConnect: (address: Address) => registry.autoConnect({ address }),
    /** Ends all sessions and attempts; resolves when no link is left. */
    close: registry.close,
  };
};

export type Sessions = ReturnType<typeof openSessions>;
