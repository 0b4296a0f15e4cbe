import type { TimeSource } from '../../src/async/time.js';

/** What the clock takes for the time; it runs with the time it lives by. */
export class RunningTime {
  private ahead = 0;

  constructor(
    private readonly time: TimeSource,
    start: number,
  ) {
    this.set(start);
  }

  /** Milliseconds since the Unix epoch, UTC. */
  get now(): number {
    return this.time.now() + this.ahead;
  }

  set(now: number): void {
    this.ahead = now - this.time.now();
  }

  advance(ms: number): void {
    this.ahead += ms;
  }
}
