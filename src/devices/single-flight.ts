/** Attempts to connect devices: one for each device at a time, shared by all its clients. */
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import type { TimeSource } from '../async/time.js';
import { wait } from '../async/wait.js';
import { ABORTED, type DeviceError } from './device-error.js';
import type { Address } from '../ble/ports.js';

interface Attempt<S> {
  clients: number;
  /** The reason why it was aborted for all clients. */
  aborted?: E.Left<DeviceError>;
  readonly controller: AbortController;
  readonly outcome: Promise<E.Either<DeviceError, S>>;
}

type Run<S> = (signal: AbortSignal) => TE.TaskEither<DeviceError, S>;

export class SingleFlight<S> {
  private readonly attempts = new Map<Address, Attempt<S>>();
  /** Promises for which the next attempt waits, by device. They do not reject. */
  private readonly delays = new Map<Address, Promise<void>>();

  /** `discard` ends the result of an attempt that nobody waits for any more. */
  constructor(
    private readonly time: TimeSource,
    private readonly discard: (late: S) => Promise<void>,
  ) {}

  /**
   * Joins the running attempt for a device, or starts one with `run`. Left `Aborted`: by `signal`. The attempt is aborted when
   * all clients have left.
   */
  join(address: Address, run: Run<S>, signal: AbortSignal): TE.TaskEither<DeviceError, S> {
    return async () => {
      const joined = this.attempts.get(address) ?? this.start(address, run);
      joined.clients += 1;
      const over = await wait<true>({ time: this.time, ms: null, signal }, (settle) => {
        const settled = (): void => settle(true);
        joined.outcome.then(settled, settled);
        return () => undefined;
      })();
      joined.clients -= 1;
      if (E.isRight(over)) return joined.aborted ?? joined.outcome;
      if (joined.clients === 0 && joined.aborted === undefined) this.giveUp(address, joined);
      return E.left(ABORTED);
    };
  }

  /** Aborts the attempt for a device, for all its clients: Left `reason`. False: there was no attempt. */
  async abort(address: Address, reason: DeviceError): Promise<boolean> {
    const running = this.attempts.get(address);
    if (running === undefined) return false;
    running.aborted = { _tag: 'Left', left: reason };
    this.giveUp(address, running);
    await this.delays.get(address);
    return true;
  }

  /** Lets the next attempt for a device wait until `over` has succeeded or failed; a failure is left to its other users. */
  delay(address: Address, over: Promise<unknown>): void {
    const { delays } = this;
    const forget = (): void => {
      if (delays.get(address) === settled) delays.delete(address);
    };
    const settled = over.then(forget, forget);
    delays.set(address, settled);
  }

  /** Aborts all attempts; resolves when they, and all that delay others, are over. */
  async close(): Promise<void> {
    for (const [address, running] of this.attempts) this.giveUp(address, running);
    await Promise.all(this.delays.values());
  }

  private start(address: Address, run: Run<S>): Attempt<S> {
    const { attempts } = this;
    const controller = new AbortController();
    const before = this.delays.get(address) ?? Promise.resolve();
    const outcome = before.then(() => run(controller.signal)());
    const started: Attempt<S> = { clients: 0, controller, outcome };
    attempts.set(address, started);
    const forget = (): void => {
      if (attempts.get(address) === started) attempts.delete(address);
    };
    outcome.then(forget, forget);
    return started;
  }

  private giveUp(address: Address, { controller, outcome }: Attempt<S>): void {
    this.attempts.delete(address);
    const discarded = outcome.then(
      (late) => (E.isRight(late) ? this.discard(late.right) : undefined),
      () => undefined,
    );
    detached(discarded);
    this.delay(address, discarded);
    controller.abort();
  }
}
