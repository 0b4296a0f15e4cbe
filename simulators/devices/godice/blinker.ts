import type { Cancel, TimeSource } from '../../../src/async/time.js';

/** On and off, so many times. */
export interface Blinks {
  /** Infinity goes on until it is stopped. */
  readonly count: number;
  readonly onMs: number;
  readonly offMs: number;
}

/** One blink pattern at a time. It holds a timer while it runs. */
export class Blinker {
  private next: Cancel | undefined;

  constructor(private readonly time: TimeSource) {}

  /**
   * `paint` is called with the index of each blink as it begins, with null as it ends, and `ended` in place of one more
   * blink. A pattern without a length ends immediately: it would blink for ever in no time.
   */
  start(blinks: Blinks, paint: (index: number | null) => void, ended: () => void): void {
    this.stop();
    if (blinks.onMs + blinks.offMs > 0) this.blink(blinks, 0, paint, ended);
    else ended();
  }

  stop(): void {
    this.next?.();
    this.next = undefined;
  }

  private blink(
    blinks: Blinks,
    index: number,
    paint: (index: number | null) => void,
    ended: () => void,
  ): void {
    if (index >= blinks.count) {
      ended();
      return;
    }
    paint(index);
    this.next = this.time.after(blinks.onMs, () => {
      paint(null);
      this.next = this.time.after(blinks.offMs, () => this.blink(blinks, index + 1, paint, ended));
    });
  }
}
