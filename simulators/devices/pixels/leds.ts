import type { Cancel, TimeSource } from '../../../src/async/time.js';
import type { Blink } from '../../../src/protocols/pixels/index.js';
import type { Rgb } from '../../../src/protocols/dice-values.js';
import { brightnessAt, changeAt } from './brightness.js';

const dark: Rgb = { r: 0, g: 0, b: 0 };

const dimmed = ({ r, g, b }: Rgb, brightness: number): Rgb => ({
  r: Math.round(r * brightness),
  g: Math.round(g * brightness),
  b: Math.round(b * brightness),
});

/** The face that each LED of a d6 with pips is on: one of the first, two of the second, … */
const faceOfPip: readonly number[] = [1, 2, 3, 4, 5, 6].flatMap((pips) => Array<number>(pips).fill(pips - 1));

interface Running {
  readonly blink: Blink;
  readonly startedAt: number;
  /** Infinity: until `stop`. */
  readonly lengthMs: number;
  /** The latest change of the brightness, ms after the start. */
  readonly changedMs: number;
}

/** The LEDs of a die. A blink replaces an earlier blink and leaves the LEDs dark. */
export class Leds {
  private running: Running | null = null;
  private next: Cancel | undefined;
  /** The index of the face that each LED is on. */
  private readonly faces: readonly number[];

  constructor(
    count: number,
    private readonly time: TimeSource,
    private readonly onChange: () => void,
  ) {
    this.faces = count === faceOfPip.length ? faceOfPip : Array.from({ length: count }, (_, index) => index);
  }

  get lit(): readonly Rgb[] {
    if (this.running === null) return this.faces.map(() => dark);
    const { blink, startedAt, changedMs } = this.running;
    const color = dimmed(blink.colour, brightnessAt(blink, Math.max(changedMs, this.time.now() - startedAt)));
    return this.faces.map((face) => (((blink.faceMask >>> face) & 1) === 1 ? color : dark));
  }

  get blink(): Blink | null {
    return this.running?.blink ?? null;
  }

  /** `loops`: how often all its periods are shown; Infinity: until `stop`. */
  start(blink: Blink, loops: number): void {
    this.stop();
    if (blink.count === 0 || blink.durationMs === 0) return;
    const startedAt = this.time.now();
    this.show({ blink, startedAt, lengthMs: blink.durationMs * loops, changedMs: 0 }, 0);
  }

  stop(): void {
    this.next?.();
    this.running = null;
    this.onChange();
  }

  close(): void {
    this.next?.();
  }

  private show(running: Running, change: number): void {
    const { blink, startedAt, lengthMs } = running;
    this.running = running;
    this.onChange();
    const changedMs = changeAt(blink, change + 1);
    const next = (): void => {
      if (changedMs >= lengthMs) this.stop();
      else this.show({ ...running, changedMs }, change + 1);
    };
    this.next = this.time.after(
      Math.max(0, startedAt + Math.min(changedMs, lengthMs) - this.time.now()),
      next,
    );
  }
}
