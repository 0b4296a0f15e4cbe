import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Clock } from '../time.js';
import { wait } from '../wait.js';
import type { Address, BleError, Radio } from './ports.js';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** The share of a pause in which a device that just refused is left alone, though it advertises. */
const DEAF_SHARE = 0.25;

/** `absent`: nobody heard the device. `refused`: it was there and something went wrong. */
export type Failure = 'absent' | 'refused';

export const failureOf = (why: BleError): Failure => (why._tag === 'NotHeard' ? 'absent' : 'refused');

export interface KeepTryingOptions {
  readonly radio: Radio;
  readonly clock: Clock;
  /** 0 up to 1; pauses vary by it, so that many devices do not come back all at once. */
  readonly random: () => number;
  readonly address: Address;
  readonly signal: AbortSignal;
}

/**
 * Tries until it succeeds, with growing pauses before each attempt; an advertisement of the device ends a pause.
 * Undefined if `signal` ended it.
 */
export const keepTrying =
  <A>(
    attempt: TE.TaskEither<Failure, A>,
    { radio, clock, random, address, signal }: KeepTryingOptions,
  ): Task<A | undefined> =>
  async () => {
    let longest = FIRST_PAUSE_MS;
    let deafMs = 0;
    while (!signal.aborted) {
      const ms = longest * (0.75 + random() / 2);
      const deafUntil = clock.now() + deafMs;
      const paused = await wait<true>({ clock, ms, signal }, (wake) =>
        radio.listen((advertisement) => {
          if (advertisement.address === address && clock.now() >= deafUntil) wake(true);
        }),
      )();
      if (E.isLeft(paused) && paused.left === 'aborted') return undefined;
      const outcome = await attempt();
      if (E.isRight(outcome)) return outcome.right;
      longest = Math.min(LONGEST_PAUSE_MS, longest * 2);
      deafMs = outcome.left === 'refused' ? longest * DEAF_SHARE : 0;
    }
    return undefined;
  };
