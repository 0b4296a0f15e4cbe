import type { Received } from './driver.js';

/** The reports of one die, in order, from the first one on: buffered until there is a listener. */
export class ReportBuffer {
  private buffered: Received[] = [];
  private listener: ((received: Received) => void) | undefined;

  add(received: Received): void {
    if (this.listener === undefined) this.buffered.push(received);
    else this.listener(received);
  }

  /** Delivers what was buffered, and from now on what comes; to be called once. */
  listen(listener: (received: Received) => void): void {
    this.listener = listener;
    const { buffered } = this;
    this.buffered = [];
    for (const received of buffered) listener(received);
  }
}
