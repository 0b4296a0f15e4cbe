/** The sessions of a server: at most one link and one session for each device. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import { detached } from '../async/defects.js';
import type { TimeSource } from '../async/time.js';
import type { Address, Radio } from '../ble/ports.js';
import { openAutoConnect } from './auto-connect.js';
import type { ConnectionOptions, Linked } from './connection.js';
import type { DeviceError } from './device-error.js';
import { claimed, searched, type Ownership } from './ownership.js';
import { singleFlight } from './single-flight.js';

/** A session, as the registry needs it. */
export interface DeviceSession {
  readonly address: Address;
  /** Left: it has no link at the moment, and why. */
  readonly connected: E.Either<DeviceError, unknown>;
  /** Waits out a link loss. Left when the device does not come back in time. */
  readonly whenConnected: (signal: AbortSignal) => TE.TaskEither<DeviceError, unknown>;
  /** Ends the session immediately and resolves when its link has ended. */
  readonly end: Task<void>;
}

/** The options that every session passes on to its connection. */
export type SessionBasis = Pick<
  ConnectionOptions<Linked>,
  | 'address'
  | 'radio'
  | 'time'
  | 'random'
  | 'log'
  | 'reconnectMs'
  | 'signalMs'
  | 'onSessionEnded'
  | 'onLinkReleased'
>;

export interface SessionRegistryOptions {
  readonly radio: Radio;
  readonly ownership: Ownership;
  readonly time: TimeSource;
  readonly random: () => number;
  readonly log: Logger;
  readonly signalMs?: number | undefined;
  /** Called whenever a session has begun or ended. */
  readonly changed: (address: Address) => void;
}

/** How a device becomes a session, step by step. `R`: what clients ask for, `F`: what was found, `D`: a device with a link. */
export interface SessionSteps<R, F, D, S> {
  readonly search: (request: R, signal: AbortSignal) => TE.TaskEither<DeviceError, F>;
  /** Left leaves no link behind. */
  readonly open: (request: R, found: F, signal: AbortSignal) => TE.TaskEither<DeviceError, D>;
  readonly start: (request: R, found: F, device: D, basis: SessionBasis) => S;
  /** How long a lost device may take to come back, ms, unless it is connected automatically; null: for ever. */
  readonly reconnectMs: number | null;
}

export const openSessionRegistry = <R extends { readonly address: Address }, F, D, S extends DeviceSession>(
  { radio, ownership, time, random, log, signalMs, changed }: SessionRegistryOptions,
  { search, open, start, reconnectMs }: SessionSteps<R, F, D, S>,
) => {
  const sessions = new Map<Address, S>();
  const attempts = singleFlight<S>(time, (late) => late.end());
  const automatic = openAutoConnect({ radio, time, random, log });

  const register = (request: R, found: F, device: D): S => {
    const { address } = request;
    const session = start(request, found, device, {
      ...{ address, radio, time, random, log, signalMs },
      reconnectMs: automatic.has(address) ? null : reconnectMs,
      onSessionEnded: () => {
        sessions.delete(address);
        log.info({ address }, 'a session has ended');
        changed(address);
      },
      onLinkReleased: () => ownership.release(address),
    });
    sessions.set(address, session);
    changed(address);
    return session;
  };

  const attempt =
    (request: R) =>
    (signal: AbortSignal): TE.TaskEither<DeviceError, S> =>
      pipe(
        searched(ownership, request.address, search(request, signal)),
        TE.chain((found) =>
          pipe(
            claimed(ownership, request.address, signal, open(request, found, signal)),
            TE.map((device) => register(request, found, device)),
          ),
        ),
      );

  const connect =
    (request: R, signal: AbortSignal): TE.TaskEither<DeviceError, S> =>
    async () => {
      const session = sessions.get(request.address);
      if (session === undefined) return attempts.join(request.address, attempt(request), signal)();
      return pipe(
        session.whenConnected(signal),
        TE.map(() => session),
      )();
    };

  const end = (address: Address, session: S): Promise<void> => {
    const ended = session.end();
    automatic.stop(address);
    attempts.delay(address, ended);
    return ended;
  };

  const handOver = async (address: Address): Promise<void> => {
    const session = sessions.get(address);
    if (session !== undefined) await end(address, session);
    automatic.again(address);
  };

  const forgetTaken = ownership.onTaken((address, owner) => {
    detached(attempts.abort(address, { _tag: 'OwnedElsewhere', address, owner }));
    detached(handOver(address));
  });

  return {
    get all(): readonly S[] {
      return [...sessions.values()];
    },
    of: (address: Address): S | undefined => sessions.get(address),
    isConnected: (address: Address): boolean => {
      const session = sessions.get(address);
      return session !== undefined && E.isRight(session.connected);
    },
    /**
     * The session of a device: the one it has, or a new one. `signal` is the client's: when all clients that wait for a
     * device have gone, the attempt is aborted. Left leaves nothing behind. Begins when it is called, so that a later
     * disconnect ends it.
     */
    connect,
    /** Connects a device as soon as it can be, and never gives it up unless a client disconnects it. Once for each device. */
    autoConnect: (request: R) =>
      automatic.add(request.address, (signal) =>
        pipe(
          connect(request, signal),
          TE.mapLeft((error) => {
            log.info({ address: request.address, error }, 'a device could not be connected automatically');
            return error;
          }),
        ),
      ),
    /** Ends the session of a device, or the attempt at one; resolves when no link is left. False: there was neither. */
    disconnect: async (address: Address): Promise<boolean> => {
      const session = sessions.get(address);
      if (session !== undefined) {
        await end(address, session);
        return true;
      }
      const aborted = attempts.abort(address, { _tag: 'NotConnected', address, cause: 'disconnected' });
      const wasAutomatic = automatic.stop(address);
      return (await aborted) || wasAutomatic;
    },
    /** Ends the session of a device, which another server gets; resolves when no link is left. */
    handOver,
    /** Ends all sessions and attempts; resolves when no link is left. */
    close: async () => {
      forgetTaken();
      automatic.close();
      for (const [address, session] of sessions) detached(end(address, session));
      await attempts.close();
    },
  };
};
