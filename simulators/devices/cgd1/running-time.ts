import type { TimeSource } from '../../../src/async/time.js';

/** The time that the clock shows; it runs with the time of the simulation. */
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
