import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';

type Closer = () => Promise<void> | void;

/** Resources that are closed in the opposite order of their opening. */
export class Closers {
  private readonly waiting: Closer[] = [];
  private closing: Promise<void> | undefined;

  /** Adds a resource; from the start of closing on, closes it immediately. */
  add(closer: Closer): void {
    if (this.closing === undefined) this.waiting.unshift(closer);
    else this.closing = Promise.all([this.closing, closer()]).then(() => undefined);
  }

  readonly close = (): Promise<void> => (this.closing ??= this.closeAll());

  get closed(): boolean {
    return this.closing !== undefined;
  }

  private async closeAll(): Promise<void> {
    for (const closer of this.waiting.splice(0)) await closer();
  }
}

/** Closes all resources of `start` if it ends with a message. */
export const closingOnFailure =
  <A>(start: (closers: Closers) => Promise<E.Either<string, A>>): TE.TaskEither<string, A> =>
  async () => {
    const closers = new Closers();
    const started = await start(closers);
    if (E.isLeft(started)) await closers.close();
    return started;
  };
