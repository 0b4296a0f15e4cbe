/** The sessions of a server, by address: at most one link and one session for each clock. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import { addNewest } from '../async/newest.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Address } from '../ble/ports.js';
import {
  SessionRegistry,
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
import { clockNotConnected, Session } from './session.js';

export interface SessionsOptions extends OpeningOptions, SessionRegistryOptions {
  readonly emit: (address: Address, event: ClockEvent) => void;
  /** Called whenever a session or a link of a clock has begun or ended. */
  readonly changed: (address: Address) => void;
  /** Called before a client ends a session. */
  readonly dismissed: (address: Address) => void;
}

export interface Connected {
  readonly session: Session;
  /** Whether the clock was bound for this request. */
  readonly paired: boolean;
}

/** Clocks without a session that a server remembers: the first to be forgotten is the one that lost its link longest ago. */
const MOST_REMEMBERED = 1_000;

interface ClockRequest {
  readonly address: Address;
}

export class Sessions extends SessionRegistry<ClockRequest, Found, Opened, Session> {
  /** Clocks that were disconnected because they were idle: the next command connects them again. */
  private readonly idle = new Set<Address>();
  /** Clocks with an event `disconnected`, and no event `reconnected` since. */
  private readonly lost = new Set<Address>();

  /** `most`: how many clocks without a session are remembered. */
  constructor(
    private readonly options: SessionsOptions,
    private readonly most = MOST_REMEMBERED,
  ) {
    super(options, options.limits.reconnect);
  }

  /** The sessions with a link. */
  get linked(): readonly Session[] {
    return this.all.filter(({ connected }) => E.isRight(connected));
  }

  /** The clocks that have a session, or that the next command connects again. */
  get addresses(): readonly Address[] {
    return [...new Set([...this.all.map(({ address }) => address), ...this.idle])];
  }

  /** True for a clock among `addresses`. */
  has(address: Address): boolean {
    return this.of(address) !== undefined || this.idle.has(address);
  }

  /** Left `NotConnected`: the clock takes no commands. */
  check(address: Address): E.Either<DeviceError, void> {
    return this.isConnected(address) || this.idle.has(address)
      ? E.right(undefined)
      : E.left(clockNotConnected(address));
  }

  /** The session of a clock; connects an idle clock again. Left `NotConnected`. */
  use(address: Address, signal: AbortSignal): TE.TaskEither<DeviceError, Session> {
    return () => {
      const session = this.of(address);
      if (session !== undefined) return Promise.resolve(E.map(() => session)(session.use()));
      return this.idle.has(address)
        ? this.joinForClient({ address }, signal)()
        : Promise.resolve(E.left(clockNotConnected(address)));
    };
  }

  /** Runs a command on the clock of `use` when all earlier commands are done. */
  run<A>(
    address: Address,
    signal: AbortSignal,
    command: (device: AlarmClock) => TE.TaskEither<DeviceError, A>,
  ): TE.TaskEither<DeviceError, A> {
    return () => {
      // A command is queued immediately, so that commands keep their order.
      const session = this.of(address);
      if (session !== undefined) return session.run(command)();
      return pipe(
        this.use(address, signal),
        TE.chain((again) => again.run(command)),
      )();
    };
  }

  /** Joins the session of a clock; `paired`: whether the clock was bound for this request. */
  connect(address: Address, signal: AbortSignal): TE.TaskEither<DeviceError, Connected> {
    return () => {
      const isNew = this.of(address) === undefined;
      return pipe(
        this.joinForClient({ address }, signal),
        TE.map((session) => ({ session, paired: isNew && session.paired })),
      )();
    };
  }

  /** Ends a session, or the attempt to connect; resolves when no link is left. Left `NotConnected`: there is neither. */
  disconnect(address: Address): TE.TaskEither<DeviceError, void> {
    const { changed, dismissed } = this.options;
    return async () => {
      dismissed(address);
      const ending = this.drop(address);
      const wasIdle = this.idle.delete(address);
      changed(address);
      const hadAny = (await ending) || wasIdle;
      return hadAny ? E.right(undefined) : E.left(clockNotConnected(address));
    };
  }

  protected search({ address }: ClockRequest, signal: AbortSignal): TE.TaskEither<DeviceError, Found> {
    return findClock(this.options, address, signal);
  }

  protected open(
    { address }: ClockRequest,
    _found: Found,
    signal: AbortSignal,
  ): TE.TaskEither<DeviceError, Opened> {
    return connectAndAuthenticate(this.options, address, signal);
  }

  protected begin(
    { address }: ClockRequest,
    found: Found,
    { device, paired }: Opened,
    basis: SessionBasis,
  ): Session {
    const { limits, log, sightings, emit, changed } = this.options;
    let lastFailure: DeviceError | undefined;
    this.idle.delete(address);
    log.info({ address, paired }, 'a clock is connected');
    return new Session(device, {
      ...{ ...basis, limits, found, paired },
      reconnect: (signal) =>
        pipe(
          connectAndAuthenticate(this.options, address, signal),
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
        if (this.lost.delete(address)) emit(address, { event: 'reconnected', data: {} });
        changed(address);
      },
      onDisconnected: () => {
        addNewest(this.lost, address, this.most);
        emit(address, { event: 'disconnected', data: {} });
        changed(address);
      },
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
        addNewest(this.idle, address, this.most, changed);
        detached(this.drop(address));
      },
    });
  }
}
