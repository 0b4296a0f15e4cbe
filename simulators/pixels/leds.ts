import type { TimeSource } from '../../src/async/time.js';
import type { Blink } from '../../src/dice/drivers/pixels/protocol/index.js';
import type { Rgb } from '../../src/dice/port/values.js';
import { Blinker } from '../die/blinker.js';

const dark: Rgb = { r: 0, g: 0, b: 0 };

/** The face that each LED of a d6 with pips is on: one of the first, two of the second, … */
const faceOfPip: readonly number[] = [1, 2, 3, 4, 5, 6].flatMap((pips) => Array<number>(pips).fill(pips - 1));

/** The LEDs of a die. A blink replaces another and leaves them dark; its fade does not dim it. */
export class Leds {
  private shown: readonly Rgb[];
  private running: Blink | null = null;
  private readonly blinker: Blinker;
  /** The index of the face that each LED is on. */
  private readonly faces: readonly number[];

  constructor(
    count: number,
    time: TimeSource,
    private readonly onChange: () => void,
  ) {
    this.faces = count === faceOfPip.length ? faceOfPip : Array.from({ length: count }, (_, index) => index);
    this.shown = this.faces.map(() => dark);
    this.blinker = new Blinker(time);
  }

  get lit(): readonly Rgb[] {
    return this.shown;
  }

  get blink(): Blink | null {
    return this.running;
  }

  /** `loops`: how often all its periods are shown; Infinity until it is stopped. */
  start(blink: Blink, loops: number): void {
    this.stop();
    this.running = blink;
    const half = blink.count === 0 ? 0 : blink.durationMs / blink.count / 2;
    this.blinker.start(
      { count: blink.count * loops, onMs: half, offMs: half },
      (index) => {
        this.paint(blink.faceMask, index === null ? dark : blink.colour);
        this.onChange();
      },
      () => this.stop(),
    );
  }

  stop(): void {
    this.blinker.stop();
    this.running = null;
    this.shown = this.faces.map(() => dark);
    this.onChange();
  }

  /** No timer is left behind. */
  close(): void {
    this.blinker.stop();
  }

  private paint(faceMask: number, colour: Rgb): void {
    this.shown = this.faces.map((face) => (((faceMask >>> face) & 1) === 1 ? colour : dark));
  }
}
