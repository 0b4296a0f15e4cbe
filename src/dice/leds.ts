import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { ServerError } from '../http/index.js';
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
  type Settle = (outcome: E.Either<ServerError, Leds>) => void;
  let lit: Leds | undefined;
  let waiting: { readonly change: LedChange; readonly settle: Settle }[] = [];
  let writing = false;

  const writeAll = async (): Promise<void> => {
    writing = true;
    while (waiting.length > 0) {
      const callers = waiting;
      waiting = [];
      const leds = callers.reduce(
        (wanted, { change }) => changed(wanted, change),
        lit ?? { led1: dark, led2: dark },
      );
      const written = await write(leds)();
      if (E.isRight(written)) lit = leds;
      for (const { settle } of callers) {
        settle(
          pipe(
            written,
            E.map(() => leds),
          ),
        );
      }
    }
    writing = false;
  };

  return {
    get lit() {
      return lit;
    },
    set: (change) => () =>
      new Promise((settle) => {
        waiting.push({ change, settle });
        if (!writing) void writeAll();
      }),
  };
};
