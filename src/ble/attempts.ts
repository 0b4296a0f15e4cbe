/** Connecting devices: one attempt for each, for however many clients ask for it at once. */
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Clock } from '../time.js';
import { wait } from '../wait.js';
import type { Address } from './ports.js';

/** `Why`: how an attempt fails. `S`: what it leads to. */
export interface Attempts<Why, S> {
  /**
   * Joins the attempt under way for a device, or starts one with `run`. Left `aborted`: `signal` gave it up; when all
   * who joined have gone, the attempt is given up too.
   */
  readonly join: (
    address: Address,
    run: (signal: AbortSignal) => TE.TaskEither<Why, S>,
    signal: AbortSignal,
  ) => TE.TaskEither<Why | 'aborted', S>;
  /** Gives the attempt for a device up, for all who joined: Left `why`. False if none is under way. */
  readonly end: (address: Address, why: Why) => Promise<boolean>;
  /** Lets the next attempt for a device wait until `over`. */
  readonly leave: (address: Address, over: Promise<unknown>) => void;
  /** Gives all attempts up; resolves when they, and all that leave, are over. */
  readonly close: Task<void>;
}

interface Attempt<Why, S> {
  clients: number;
  /** Why it was ended for all. */
  ended?: E.Left<Why>;
  readonly controller: AbortController;
  readonly outcome: Promise<E.Either<Why, S>>;
}

/** `discard` ends what an attempt led to just as nobody wanted it any more. */
export const openAttempts = <Why, S>(clock: Clock, discard: (late: S) => Promise<void>): Attempts<Why, S> => {
  const attempts = new Map<Address, Attempt<Why, S>>();
  const leaving = new Map<Address, Promise<unknown>>();

  const leave = (address: Address, over: Promise<unknown>): void => {
    leaving.set(address, over);
    void over.then(() => {
      if (leaving.get(address) === over) leaving.delete(address);
    });
  };

  const start = (address: Address, run: (signal: AbortSignal) => TE.TaskEither<Why, S>): Attempt<Why, S> => {
    const controller = new AbortController();
    const before = leaving.get(address) ?? Promise.resolve();
    const outcome = before.then(() => run(controller.signal)());
    const started: Attempt<Why, S> = { clients: 0, controller, outcome };
    attempts.set(address, started);
    const forget = (): void => {
      if (attempts.get(address) === started) attempts.delete(address);
    };
    outcome.then(forget, forget);
    return started;
  };

  const giveUp = (address: Address, { controller, outcome }: Attempt<Why, S>): void => {
    attempts.delete(address);
    leave(
      address,
      outcome.then(
        (late) => (E.isRight(late) ? discard(late.right) : undefined),
        () => undefined,
      ),
    );
    controller.abort();
  };

  return {
    join: (address, run, signal) => async () => {
      const joined = attempts.get(address) ?? start(address, run);
      joined.clients += 1;
      const over = await wait<true>({ clock, ms: null, signal }, (settle) => {
        const settled = (): void => settle(true);
        joined.outcome.then(settled, settled);
        return () => undefined;
      })();
      joined.clients -= 1;
      if (E.isRight(over)) return joined.ended ?? joined.outcome;
      if (joined.clients === 0 && joined.ended === undefined) giveUp(address, joined);
      return E.left('aborted');
    },
    end: async (address, why) => {
      const running = attempts.get(address);
      if (running === undefined) return false;
      running.ended = { _tag: 'Left', left: why };
      giveUp(address, running);
      await leaving.get(address);
      return true;
    },
    leave,
    close: async () => {
      for (const [address, running] of attempts) giveUp(address, running);
      await Promise.all(leaving.values());
    },
  };
};
