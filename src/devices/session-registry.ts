/** The sessions of a server: at most one link and one session for each device. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import { detached } from '../async/defects.js';
import type { TimeSource } from '../async/time.js';
import type { Address, Radio } from '../ble/ports.js';
import { openAutoConnect } from './auto-connect.js';
import type { ConnectionOptions, Linked } from './connection.js';
import type { DeviceError } from './device-error.js';
import { orOwnedElsewhere, type LinkedNeighbour } from './neighbours.js';
import { SingleFlight } from './single-flight.js';

/** The part of a session that the registry uses. */
export interface DeviceSession {
  readonly address: Address;
  /** Left: the reason why it has no link now. */
  readonly connected: E.Either<DeviceError, unknown>;
  /** Waits out a link loss. Left when the device does not come back in time. */
  whenConnected(signal: AbortSignal): TE.TaskEither<DeviceError, unknown>;
  /** Must be called when the time that a lost device may take to come back has changed. */
  limitLoss(): void;
  /** Ends the session; resolves when its link has ended. */
  end(): Promise<void>;
}

/** The options that every session passes on to its connection. */
export type SessionBasis = Pick<
  ConnectionOptions<Linked>,
  'address' | 'radio' | 'time' | 'random' | 'log' | 'reconnectMs' | 'signalMs' | 'onSessionEnded'
>;

export interface SessionRegistryOptions {
  readonly radio: Radio;
  readonly linkedNeighbour: LinkedNeighbour;
  readonly time: TimeSource;
  readonly random: () => number;
  readonly log: Logger;
  readonly signalMs?: number | undefined;
  /** Called whenever a session has begun or ended. */
  readonly changed: (address: Address) => void;
}

/** The sessions of a server. `R`: the request of a client, `F`: the result of a search, `D`: a device with a link. */
export abstract class SessionRegistry<
  R extends { readonly address: Address },
  F,
  D,
  S extends DeviceSession,
> {
  private readonly byAddress = new Map<Address, S>();
  private readonly attempts: SingleFlight<S>;
  private readonly automatic;

  /** `reconnectMs`: how long a lost device may take to come back unless it is connected automatically; null: for ever. */
  constructor(
    private readonly registryOptions: SessionRegistryOptions,
    private readonly reconnectMs: number | null,
  ) {
    this.attempts = new SingleFlight(registryOptions.time, (late) => late.end());
    this.automatic = openAutoConnect(registryOptions);
  }

  protected abstract search(request: R, signal: AbortSignal): TE.TaskEither<DeviceError, F>;
  /** Left leaves no link behind. */
  protected abstract open(request: R, found: F, signal: AbortSignal): TE.TaskEither<DeviceError, D>;
  protected abstract begin(request: R, found: F, device: D, basis: SessionBasis): S;

  get all(): readonly S[] {
    return [...this.byAddress.values()];
  }

  of(address: Address): S | undefined {
    return this.byAddress.get(address);
  }

  isConnected(address: Address): boolean {
    const session = this.of(address);
    return session !== undefined && E.isRight(session.connected);
  }

  /** Connects a device as soon as possible, and never gives it up unless a client disconnects it. */
  autoConnect(request: R): void {
    const { address } = request;
    this.automatic.add(address, (signal) =>
      pipe(
        this.join(request, signal),
        TE.mapLeft((error) => {
          this.registryOptions.log.info({ address, error }, 'a device could not be connected automatically');
          return error;
        }),
      ),
    );
  }

  /** Connects a device like `autoConnect`, or leaves it to clients from now on. */
  keepConnected(request: R, isKept: boolean): void {
    if (isKept) this.autoConnect(request);
    else this.automatic.remove(request.address);
    this.of(request.address)?.limitLoss();
  }

  /** Ends all sessions and attempts; resolves when no link is left. */
  async close(): Promise<void> {
    this.automatic.close();
    for (const [address, session] of this.byAddress) detached(this.end(address, session));
    await this.attempts.close();
  }

  /**
   * The current session of a device, or a new one. `signal` is the client's: when all clients that wait for a
   * device have gone, the attempt is aborted. Left leaves nothing behind. Begins when it is called, so that a later
   * disconnect ends it.
   */
  protected join(request: R, signal: AbortSignal): TE.TaskEither<DeviceError, S> {
    return async () => {
      const session = this.of(request.address);
      if (session === undefined)
        return this.attempts.join(request.address, (until) => this.attempt(request, until), signal)();
      return pipe(
        session.whenConnected(signal),
        TE.map(() => session),
      )();
    };
  }

  /** Like `join`, for a client, which learns if another server has the device. */
  protected joinForClient(request: R, signal: AbortSignal): TE.TaskEither<DeviceError, S> {
    const { linkedNeighbour } = this.registryOptions;
    return orOwnedElsewhere(linkedNeighbour, request.address, this.join(request, signal));
  }

  /** Ends the session of a device, or the attempt to connect it; resolves when no link is left. False: there was neither. */
  protected async drop(address: Address): Promise<boolean> {
    const session = this.of(address);
    if (session !== undefined) {
      await this.end(address, session);
      return true;
    }
    const aborted = this.attempts.abort(address, { _tag: 'NotConnected', address, cause: 'disconnected' });
    const wasAutomatic = this.automatic.stop(address);
    return (await aborted) || wasAutomatic;
  }

  private attempt(request: R, signal: AbortSignal): TE.TaskEither<DeviceError, S> {
    return pipe(
      this.search(request, signal),
      TE.chain((found) =>
        pipe(
          this.open(request, found, signal),
          TE.map((device) => this.register(request, found, device)),
        ),
      ),
    );
  }

  private register(request: R, found: F, device: D): S {
    const { address } = request;
    const { radio, time, random, log, signalMs, changed } = this.registryOptions;
    const session = this.begin(request, found, device, {
      ...{ address, radio, time, random, log, signalMs },
      reconnectMs: () => (this.automatic.has(address) ? null : this.reconnectMs),
      onSessionEnded: () => {
        this.byAddress.delete(address);
        log.info({ address }, 'a session has ended');
        changed(address);
      },
    });
    this.byAddress.set(address, session);
    changed(address);
    return session;
  }

  private end(address: Address, session: S): Promise<void> {
    const ended = session.end();
    this.automatic.stop(address);
    this.attempts.delay(address, ended);
    return ended;
  }
}
