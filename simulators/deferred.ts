/** Tasks of a device for the time after the packet that it is working on, such as the answer to a write behind its response. */
export class Deferred {
  private readonly waiting: (() => void)[] = [];

  add(task: () => void): void {
    this.waiting.push(task);
    queueMicrotask(this.runAll);
  }

  /** Runs now what waits: to be called when the link has ended, which came after the packet. */
  readonly runAll = (): void => {
    for (let task = this.waiting.shift(); task !== undefined; task = this.waiting.shift()) task();
  };
}
