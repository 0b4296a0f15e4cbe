/** The LEDs of a Pixels die: colours and pulses by Blink, the one animation that needs nothing stored in the die. */
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../../../async/defects.js';
import { SerialQueue } from '../../../async/tasks.js';
import type { Cancel, TimeSource } from '../../../async/time.js';
import type { DeviceError } from '../../../devices/device-error.js';
import { ENDLESS, type Pulse, type Rgb } from '../../../protocols/dice-values.js';
import { ALL_FACES, type Blink, type Command } from '../../../protocols/pixels/index.js';

/** The longest animation, ms. */
const LONGEST_MS = 0xffff;

/** A Blink is dark in its second half: a colour is sent again before that, ms. */
const REFRESH_MS = 30_000;

const isDark = ({ r, g, b }: Rgb): boolean => r === 0 && g === 0 && b === 0;

type Shown = Pick<Blink, 'count' | 'durationMs' | 'colour'>;

/** The next Blink of a pulse, as long as one can be, and how many blinks are left after it. */
const pieceOf = (
  { onMs, offMs, colour }: Pulse,
  left: number,
): { readonly shown: Shown; readonly left: number } => {
  const periodMs = onMs + offMs;
  const count = Math.min(left, Math.floor(LONGEST_MS / periodMs));
  return { shown: { count, durationMs: count * periodMs, colour }, left: left - count };
};

/**
 * `send` resolves when the die has acknowledged a command. `loopCount`: what the firmware takes for one run of an
 * animation.
 */
export const lightsOf = (
  send: (command: Command) => TE.TaskEither<DeviceError, void>,
  time: TimeSource,
  loopCount: number,
) => {
  const writes = new SerialQueue();
  let cancel: Cancel = () => undefined;
  let over = false;

  /** Sends `command` in place of all earlier ones; `next` follows `ms` after the die has acknowledged it. */
  const show =
    (
      command: Command,
      ms = 0,
      next?: () => TE.TaskEither<DeviceError, void>,
    ): TE.TaskEither<DeviceError, void> =>
    () =>
      writes.run(
        pipe(
          TE.fromIO(() => cancel()),
          TE.chain(() => send(command)),
          TE.chainFirstIOK(() => () => {
            if (next !== undefined && !over) cancel = time.after(ms, () => detached(next()()));
          }),
        ),
      );

  const blink = (shown: Shown): Blink => ({
    ...{ _tag: 'Blink', ...shown, faceMask: ALL_FACES, fade: 0, loopCount },
  });

  const light = (colour: Rgb): TE.TaskEither<DeviceError, void> =>
    show(blink({ count: 1, durationMs: LONGEST_MS, colour }), REFRESH_MS, () => light(colour));

  const pulse = (of: Pulse, blinks: number): TE.TaskEither<DeviceError, void> => {
    const { shown, left } = pieceOf(of, blinks);
    const rest = of.count === ENDLESS ? blinks : left;
    return rest === 0 ? show(blink(shown)) : show(blink(shown), shown.durationMs, () => pulse(of, rest));
  };

  const off = show({ _tag: 'StopAllAnimations' });

  return {
    set: (colour: Rgb): TE.TaskEither<DeviceError, void> => (isDark(colour) ? off : light(colour)),
    /** The LEDs are lit for half of each `onMs + offMs`, and dark in the end. */
    pulse: (of: Pulse): TE.TaskEither<DeviceError, void> =>
      of.onMs === 0 || isDark(of.colour) ? off : pulse(of, of.count),
    /** Sends nothing any more. */
    stop: () => {
      over = true;
      cancel();
    },
  };
};

export type Lights = ReturnType<typeof lightsOf>;
