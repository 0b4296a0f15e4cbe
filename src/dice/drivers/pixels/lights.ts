/** The LEDs of a Pixels die: colours and pulses by Blink, the only animation that is not stored in the die. */
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

/** The time after which a colour is sent again, ms: a Blink is dark in its second half. */
const REFRESH_MS = 30_000;

const isDark = ({ r, g, b }: Rgb): boolean => r === 0 && g === 0 && b === 0;

type Shown = Pick<Blink, 'count' | 'durationMs' | 'colour'>;

/** The next Blink of a pulse, as long as possible, and the number of blinks after it. */
const pieceOf = (
  { onMs, offMs, colour }: Pulse,
  left: number,
): { readonly shown: Shown; readonly left: number } => {
  const periodMs = onMs + offMs;
  const count = Math.min(left, Math.floor(LONGEST_MS / periodMs));
  return { shown: { count, durationMs: count * periodMs, colour }, left: left - count };
};

/**
 * `send` resolves when the die has acknowledged a command. `loopCount`: the value with which the firmware plays an animation
 * once.
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
    const next = of.count === ENDLESS ? blinks : left;
    return next === 0 ? show(blink(shown)) : show(blink(shown), shown.durationMs, () => pulse(of, next));
  };

  const off = show({ _tag: 'StopAllAnimations' });

  return {
    set: (colour: Rgb): TE.TaskEither<DeviceError, void> => (isDark(colour) ? off : light(colour)),
    /** Lights the LEDs for half of each `onMs + offMs`; they are dark in the end. */
    pulse: (of: Pulse): TE.TaskEither<DeviceError, void> =>
      of.onMs === 0 || isDark(of.colour) ? off : pulse(of, of.count),
    /** Stops all further commands. */
    stop: () => {
      over = true;
      cancel();
    },
  };
};

export type Lights = ReturnType<typeof lightsOf>;
