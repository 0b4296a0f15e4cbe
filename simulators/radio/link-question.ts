import type { Cancel, Clock } from '../../src/time.js';

/** The procedure response timeout (Core 5.4 Vol 6 Part B 5.2). */
const PATIENCE_MS = 40_000;

/** What a link asks the host at its other end, one thing at a time; a host that never answers costs the link. */
export class Question<A> {
  private asked: { readonly about: A; readonly cancel: Cancel } | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly unanswered: () => void,
  ) {}

  get open(): boolean {
    return this.asked !== undefined;
  }

  ask(about: A): void {
    this.take();
    this.asked = { about, cancel: this.clock.after(PATIENCE_MS, this.unanswered) };
  }

  /** What was asked and is answered now; undefined if nothing is open. */
  take(): A | undefined {
    const { asked } = this;
    asked?.cancel();
    this.asked = undefined;
    return asked?.about;
  }
}
