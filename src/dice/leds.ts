import type * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../devices/device-error.js';
import { SerialQueue } from '../async/tasks.js';
import type { Led, Leds, Rgb } from '../protocols/dice-values.js';

export type LedChange = Partial<Record<Led, Rgb | undefined>>;

const dark: Rgb = { r: 0, g: 0, b: 0 };

const changed = (leds: Leds, { led1 = leds.led1, led2 = leds.led2 }: LedChange): Leds => ({ led1, led2 });

/**
 * The LEDs of a die. At most one write is under way; changes that come meanwhile become one write, in which the last
 * colour of each LED wins.
 */
export const ledControl = (write: (leds: Leds) => TE.TaskEither<DeviceError, void>) => {
  const writes = new SerialQueue();
  let lit: Leds | null = null;
  /** The changes of the next write, and its result. */
  let next:
    { readonly changes: LedChange[]; readonly outcome: Promise<E.Either<DeviceError, Leds>> } | undefined;

  const writeAll = (changes: readonly LedChange[]): Promise<E.Either<DeviceError, Leds>> => {
    const colours = changes.reduce(changed, lit ?? { led1: dark, led2: dark });
    return pipe(
      write(colours),
      TE.map(() => (lit = colours)),
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
    /** The colours that were written last; null: no colours yet. */
    get lit(): Leds | null {
      return lit;
    },
    /** Sets the LEDs of `change`; the others stay as they are. Right: the colours of both. */
    set:
      (change: LedChange): TE.TaskEither<DeviceError, Leds> =>
      () => {
        next ??= schedule();
        next.changes.push(change);
        return next.outcome;
      },
  };
};
