/** A session with a clock, which outlasts losses of its link. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { Connection, type ConnectionOptions } from '../devices/connection.js';
import { ABORTED, type DeviceError } from '../devices/device-error.js';
import type { Address } from '../ble/ports.js';
import type { Cancel } from '../async/time.js';
import { SerialQueue } from '../async/tasks.js';
import type { AlarmClock } from './cgd1/clock.js';
import type { ClockLimits } from './config.js';
import type { Found } from './opening.js';
import type { Reading } from '../protocols/cgd1/index.js';

/** The most commands that may wait for a clock. */
const MAX_WAITING = 64;

export interface SessionOptions extends ConnectionOptions<AlarmClock> {
  readonly limits: ClockLimits;
  readonly found: Found;
  /** Whether the clock was bound for this session. */
  readonly paired: boolean;
  readonly onReading: (reading: Reading) => void;
  /** The error of the last attempt to reconnect; undefined: no attempt has failed since the loss of the link. */
  readonly lastFailure: () => DeviceError | undefined;
  /** Called when the clock has had no command for `limits.idle`. */
  readonly onIdle: () => void;
}

export const clockNotConnected = (address: Address): DeviceError => ({
  _tag: 'NotConnected',
  address,
  cause: 'unknown',
});

/**
 * A session with a clock. Commands fail with `NotConnected` during a link loss, and with the reason as soon as the link is
 * lost.
 */
export class Session {
  readonly address: Address;
  readonly found: Found;
  /** Whether the clock was bound for this session. */
  readonly paired: boolean;
  private readonly connection: Connection<AlarmClock>;
  private readonly away: DeviceError;
  private reading: Reading | undefined;
  private queue: SerialQueue;
  private cancelIdle: Cancel = () => undefined;

  constructor(
    first: AlarmClock,
    private readonly options: SessionOptions,
  ) {
    const { address, found, paired } = options;
    this.address = address;
    this.found = found;
    this.paired = paired;
    this.away = clockNotConnected(address);
    this.queue = this.newQueue();
    this.connection = new Connection({
      ...options,
      onConnected: (device, again) => this.connectedTo(device, again),
      onSessionEnded: () => {
        // The link may take long to end, and must not count as idle meanwhile.
        this.cancelIdle();
        options.onSessionEnded();
      },
      onDisconnected: () => {
        this.cancelIdle();
        this.reading = undefined;
        options.onDisconnected();
      },
    });
    this.connection.start(first);
    this.startIdleTimer();
  }

  get connected(): E.Either<DeviceError, void> {
    return this.connection.phase._tag === 'Connected' ? E.right(undefined) : E.left(this.away);
  }

  /** The newest reading of this link; undefined before the first. */
  get newest(): Reading | undefined {
    return this.reading;
  }

  /** Returns `connected`, and restarts the time until the clock counts as idle. */
  use(): E.Either<DeviceError, void> {
    this.startIdleTimer();
    return this.connected;
  }

  /** Waits out a link loss. Left: the clock did not come back in time; `lastFailure`, or `NotConnected` without one. */
  whenConnected(signal: AbortSignal): TE.TaskEither<DeviceError, void> {
    const { time, limits, lastFailure } = this.options;
    return pipe(
      this.connection.whenSettled({ time, ms: limits.find, signal }),
      TE.mapLeft((unmet) => (unmet === 'aborted' ? ABORTED : (lastFailure() ?? this.away))),
      TE.chain((isBack) => (isBack ? TE.right(undefined) : TE.left(this.away))),
    );
  }

  /** Runs a command when all earlier commands are done. Left: no link, its loss, or `Busy`: too many wait. */
  run<A>(command: (device: AlarmClock) => TE.TaskEither<DeviceError, A>): TE.TaskEither<DeviceError, A> {
    return () => {
      const { phase } = this.connection;
      const { address, queue } = this;
      if (phase._tag !== 'Connected') return Promise.resolve(E.left(this.away));
      if (queue.size >= MAX_WAITING) return Promise.resolve(E.left({ _tag: 'Busy', address }));
      const { device } = phase;
      this.cancelIdle();
      return queue.run(() => {
        const reason = device.link.ended;
        return reason === undefined ? command(device)() : E.left(reason);
      });
    };
  }

  /** The newest reading of this link, or the first as soon as it comes. Left `NoReading`. */
  nextReading(signal: AbortSignal): TE.TaskEither<DeviceError, Reading> {
    const { address } = this;
    const { time, limits } = this.options;
    const look = (): E.Either<DeviceError, Reading> | undefined => {
      if (E.isLeft(this.connected)) return this.connected;
      return this.reading && E.right(this.reading);
    };
    return pipe(
      this.connection.until(look, { time, ms: limits.reading, signal }),
      TE.mapLeft((unmet): DeviceError =>
        unmet === 'aborted' ? ABORTED : { _tag: 'NoReading', address, ms: limits.reading },
      ),
      TE.chain(TE.fromEither),
    );
  }

  limitLoss(): void {
    this.connection.limitLoss();
  }

  /** Ends the session; resolves when its link has ended. */
  end(): Promise<void> {
    return this.connection.end();
  }

  private connectedTo(device: AlarmClock, again: boolean): void {
    const { onConnected, onReading } = this.options;
    this.reading = undefined;
    this.queue = this.newQueue();
    onConnected(device, again);
    device.listen((reading) => {
      this.reading = reading;
      onReading(reading);
      this.connection.lookAgain();
    });
    if (again) this.startIdleTimer();
  }

  private newQueue(): SerialQueue {
    return new SerialQueue(() => this.startIdleTimer());
  }

  private startIdleTimer(): void {
    const { time, limits, onIdle } = this.options;
    this.cancelIdle();
    if (this.queue.size > 0 || limits.idle === null || E.isLeft(this.connected)) return;
    this.cancelIdle = time.after(limits.idle, onIdle);
  }
}
