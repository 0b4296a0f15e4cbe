/** Tasks that take turns: one at a time, in the order they came. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  /** Runs `task` when all before it are done, whether they succeeded or not. */
  take<A>(task: () => Promise<A>): Promise<A> {
    const turn = this.last.then(task);
    this.last = turn.catch(() => undefined);
    return turn;
  }
}
