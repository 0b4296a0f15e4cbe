import type { Cancel, TimeSource } from '../../../src/async/time.js';

/** The procedure response timeout (Core 5.4 Vol 6 Part B 5.2), milliseconds. */
const RESPONSE_TIMEOUT_MS = 40_000;

/** A link layer procedure that waits for the reply of the host at the other end; one at a time. */
export class LinkProcedure<A> {
  private current: { readonly request: A; readonly cancel: Cancel } | undefined;

  /** `timedOut` is called when the host does not reply within the procedure response timeout. */
  constructor(
    private readonly time: TimeSource,
    private readonly timedOut: () => void,
  ) {}

  get pending(): boolean {
    return this.current !== undefined;
  }

  start(request: A): void {
    this.complete();
    this.current = { request, cancel: this.time.after(RESPONSE_TIMEOUT_MS, this.timedOut) };
  }

  /** Ends the procedure and returns its request; undefined without a pending procedure. */
  complete(): A | undefined {
    const { current } = this;
    current?.cancel();
    this.current = undefined;
    return current?.request;
  }
}
