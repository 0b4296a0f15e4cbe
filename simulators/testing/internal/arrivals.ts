/** Waits for values that arrive one by one, such as the messages of a WebSocket or the lines of a program. */
export class Arrivals {
  private readonly waits = new Set<() => void>();
  private ending: string | undefined;

  /** Makes each wait look again, the oldest first. */
  notify(): void {
    for (const look of this.waits) look();
  }

  /** Ends the arrivals: waits without a value reject, with `reason` in their message. */
  end(reason: string): void {
    this.ending = reason;
    this.notify();
  }

  /**
   * Resolves with the first value of `look` other than undefined; it looks now and after each arrival. Rejects with a message
   * that begins with `missing` after `limit` milliseconds, if set, or after the end, and with an error that `look` throws. A caller may ignore the promise.
   */
  until<A>(look: () => A | undefined, missing: string, limit?: number): Promise<A> {
    const arrival = new Promise<A>((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waits.delete(again);
      };
      const again = (): void => {
        let value: A | undefined;
        try {
          value = look();
        } catch (error) {
          done();
          reject(error instanceof Error ? error : new Error(String(error)));
          return;
        }
        if (value === undefined && this.ending === undefined) return;
        done();
        if (value === undefined) reject(new Error(`${missing}: ${this.ending}`));
        else resolve(value);
      };
      const expire = (): void => {
        done();
        reject(new Error(`${missing} within ${Number(limit) / 1000} s`));
      };
      const timer = limit === undefined ? undefined : setTimeout(expire, limit);
      this.waits.add(again);
      again();
    });
    arrival.catch(() => undefined);
    return arrival;
  }
}
