import type { Cancel, TimeSource } from '../../../src/async/time.js';

/** Runs tasks in the order in which they came, each no sooner than its own delay and the task before it. */
export class DelayQueue {
  private readonly waiting: { readonly dueAt: number; readonly task: () => void }[] = [];
  private cancel: Cancel | undefined;

  /** While `isHeld`, no task runs. */
  constructor(
    private readonly time: TimeSource,
    private readonly isHeld: () => boolean = () => false,
  ) {}

  get empty(): boolean {
    return this.waiting.length === 0;
  }

  /** `delay`: milliseconds. Without a delay and with nothing ahead of it the task runs immediately. */
  push(delay: number, task: () => void): void {
    if (this.empty && delay === 0 && !this.isHeld()) {
      task();
      return;
    }
    this.waiting.push({ dueAt: Math.max(this.time.now() + delay, this.waiting.at(-1)?.dueAt ?? 0), task });
    if (this.waiting.length === 1) this.arrange();
  }

  /** Runs all tasks now. */
  release(): void {
    this.run(Infinity);
  }

  clear(): void {
    this.waiting.length = 0;
    this.cancel?.();
    this.cancel = undefined;
  }

  /** Runs the due tasks; called when `isHeld` becomes false. */
  run(until = this.time.now()): void {
    for (let [first] = this.waiting; first !== undefined; [first] = this.waiting) {
      if (first.dueAt > until || this.isHeld()) break;
      this.waiting.shift();
      first.task();
    }
    this.arrange();
  }

  private arrange(): void {
    const [first] = this.waiting;
    this.cancel?.();
    this.cancel =
      first === undefined || this.isHeld()
        ? undefined
        : this.time.after(Math.max(0, first.dueAt - this.time.now()), () => this.run());
  }
}
