import type * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { ServerError } from '../http/index.js';
import { SerialQueue } from '../serial-queue.js';
import type { Rgb } from './protocol/index.js';

export interface Leds {
  readonly led1: Rgb;
  readonly led2: Rgb;
}

export interface LedChange {
  readonly led1?: Rgb | undefined;
  readonly led2?: Rgb | undefined;
}

export interface LedControl {
  /** What was lit last; undefined if nothing ever was. */
  readonly lit: Leds | undefined;
  /** Sets what is given and keeps the rest; answers what is lit then. */
  readonly set: (change: LedChange) => TE.TaskEither<ServerError, Leds>;
}

const dark: Rgb = { r: 0, g: 0, b: 0 };

const changed = (leds: Leds, { led1 = leds.led1, led2 = leds.led2 }: LedChange): Leds => ({ led1, led2 });

/**
 * The LEDs of one die. One write is under way at most; the changes that come meanwhile become one, so that the last
 * colour wins however fast they come, and everybody is answered.
 */
export const ledControl = (write: (leds: Leds) => TE.TaskEither<ServerError, void>): LedControl => {
  const writes = new SerialQueue();
  let lit: Leds | undefined;
  /** The changes of the write that is next, and what comes of it. */
  let next:
    { readonly changes: LedChange[]; readonly outcome: Promise<E.Either<ServerError, Leds>> } | undefined;

  const writeAll = (changes: readonly LedChange[]): Promise<E.Either<ServerError, Leds>> => {
    const wanted = changes.reduce(changed, lit ?? { led1: dark, led2: dark });
    return pipe(
      write(wanted),
      TE.map(() => (lit = wanted)),
    )();
  };

  const schedule = (): NonNullable<typeof next> => {
    const changes: LedChange[] = [];
    const outcome = writes.run(() => {
      next = undefined;
      return writeAll(changes);
    });
    return { changes, outcome };
  };

  return {
    get lit() {
      return lit;
    },
    set: (change) => () => {
      next ??= schedule();
      next.changes.push(change);
      return next.outcome;
    },
  };
};
