/** Resources that are closed in the opposite order of their opening. */
export class Closers {
  private readonly waiting: (() => Promise<void>)[] = [];
  private closing: Promise<void> | undefined;

  /** A resource that is added during the end or after it is closed immediately. */
  add(closer: () => Promise<void>): void {
    if (this.closing === undefined) this.waiting.unshift(closer);
    else this.closing = Promise.all([this.closing, closer()]).then(() => undefined);
  }

  /** Resolves when all is ended. */
  readonly close = (): Promise<void> => (this.closing ??= this.closeAll());

  get closed(): boolean {
    return this.closing !== undefined;
  }

  private async closeAll(): Promise<void> {
    for (const closer of this.waiting.splice(0)) await closer();
  }
}
