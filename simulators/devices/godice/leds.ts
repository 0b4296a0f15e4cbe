import type { Pulse } from '../../../src/protocols/godice/index.js';
import { ENDLESS, type Rgb } from '../../../src/protocols/dice-values.js';
import type { Cancel, TimeSource } from '../../../src/async/time.js';

const dark: Rgb = { r: 0, g: 0, b: 0 };

/** The colour of blink `index` of a pulse (docs/godice-protocol.md §3.1). */
const shownBy = ({ colour, mode }: Pulse, index: number): Rgb => {
  if (mode === 'parallel') return colour;
  const parts: readonly Rgb[] = [
    { ...dark, r: colour.r },
    { ...dark, g: colour.g },
    { ...dark, b: colour.b },
  ];
  return parts[index % parts.length] ?? dark;
};

/** The two LEDs of a die. A pulse replaces the colours of its LEDs and leaves them dark. */
export class Leds {
  private shown: readonly [Rgb, Rgb] = [dark, dark];
  private running: Pulse | null = null;
  private next: Cancel | undefined;

  constructor(
    private readonly time: TimeSource,
    private readonly onChange: () => void,
  ) {}

  /** The colours of both LEDs at this moment. */
  get lit(): readonly [Rgb, Rgb] {
    return this.shown;
  }

  get pulse(): Pulse | null {
    return this.running;
  }

  show(led1: Rgb, led2: Rgb): void {
    this.end();
    this.shown = [led1, led2];
    this.onChange();
  }

  stop(): void {
    this.show(dark, dark);
  }

  start(pulse: Pulse): void {
    this.end();
    this.running = pulse;
    this.blink(pulse, 0);
  }

  close(): void {
    this.end();
  }

  private blink(pulse: Pulse, index: number): void {
    const { count, onMs, offMs } = pulse;
    // A pulse without a length would never end.
    if ((index >= count && count !== ENDLESS) || onMs + offMs === 0) {
      this.running = null;
      this.onChange();
      return;
    }
    this.paint(pulse, shownBy(pulse, index));
    this.onChange();
    this.next = this.time.after(onMs, () => {
      this.paint(pulse, dark);
      this.onChange();
      this.next = this.time.after(offMs, () => this.blink(pulse, index + 1));
    });
  }

  private paint({ leds }: Pulse, colour: Rgb): void {
    const [led1, led2] = this.shown;
    this.shown = [leds === 'led2' ? led1 : colour, leds === 'led1' ? led2 : colour];
  }

  private end(): void {
    this.next?.();
    if (this.running !== null) this.paint(this.running, dark);
    this.running = null;
  }
}
