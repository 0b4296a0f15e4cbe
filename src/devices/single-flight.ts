/** Connecting devices: one attempt for each at a time, shared by all clients that ask for it. */
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import type { TimeSource } from '../async/time.js';
import { wait } from '../async/wait.js';
import { ABORTED, type DeviceError } from './device-error.js';
import type { Address } from '../ble/ports.js';

interface Attempt<S> {
  clients: number;
  /** Why it was aborted for all. */
  aborted?: E.Left<DeviceError>;
  readonly controller: AbortController;
  readonly outcome: Promise<E.Either<DeviceError, S>>;
}

/** `discard` ends the result of an attempt that nobody waits for any more. */
export const singleFlight = <S>(time: TimeSource, discard: (late: S) => Promise<void>) => {
  const attempts = new Map<Address, Attempt<S>>();
  const delays = new Map<Address, Promise<unknown>>();

  const delay = (address: Address, over: Promise<unknown>): void => {
    delays.set(address, over);
    detached(
      over.then(() => {
        if (delays.get(address) === over) delays.delete(address);
      }),
    );
  };

  const start = (
    address: Address,
    run: (signal: AbortSignal) => TE.TaskEither<DeviceError, S>,
  ): Attempt<S> => {
    const controller = new AbortController();
    const before = delays.get(address) ?? Promise.resolve();
    const outcome = before.then(() => run(controller.signal)());
    const started: Attempt<S> = { clients: 0, controller, outcome };
    attempts.set(address, started);
    const forget = (): void => {
      if (attempts.get(address) === started) attempts.delete(address);
    };
    outcome.then(forget, forget);
    return started;
  };

  const giveUp = (address: Address, { controller, outcome }: Attempt<S>): void => {
    attempts.delete(address);
    delay(
      address,
      outcome.then(
        (late) => (E.isRight(late) ? discard(late.right) : undefined),
        () => undefined,
      ),
    );
    controller.abort();
  };

  return {
    /**
     * Joins the attempt under way for a device, or starts one with `run`. Left `Aborted`: `signal` gave it up. When all
     * who joined have given up, the attempt is aborted.
     */
    join:
      (
        address: Address,
        run: (signal: AbortSignal) => TE.TaskEither<DeviceError, S>,
        signal: AbortSignal,
      ): TE.TaskEither<DeviceError, S> =>
      async () => {
        const joined = attempts.get(address) ?? start(address, run);
        joined.clients += 1;
        const over = await wait<true>({ time, ms: null, signal }, (settle) => {
          const settled = (): void => settle(true);
          joined.outcome.then(settled, settled);
          return () => undefined;
        })();
        joined.clients -= 1;
        if (E.isRight(over)) return joined.aborted ?? joined.outcome;
        if (joined.clients === 0 && joined.aborted === undefined) giveUp(address, joined);
        return E.left(ABORTED);
      },
    /** Aborts the attempt for a device, for all who joined: Left `reason`. Resolves to false if none is under way. */
    abort: async (address: Address, reason: DeviceError): Promise<boolean> => {
      const running = attempts.get(address);
      if (running === undefined) return false;
      running.aborted = { _tag: 'Left', left: reason };
      giveUp(address, running);
      await delays.get(address);
      return true;
    },
    /** Lets the next attempt for a device wait until `over` is resolved. */
    delay,
    /** Aborts all attempts; resolves when they, and all that delay others, are over. */
    close: async () => {
      for (const [address, running] of attempts) giveUp(address, running);
      await Promise.all(delays.values());
    },
  };
};
