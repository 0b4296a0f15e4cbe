/** Numbers from 0 on, of which the least free one is taken, as Linux numbers adapters: those of a capture have 16 bits. */
export class FreeNumbers {
  private readonly taken = new Set<number>();
  /** All below are taken. */
  private least = 0;

  take(): number {
    while (this.taken.has(this.least)) this.least += 1;
    this.taken.add(this.least);
    return this.least;
  }

  giveBack(number: number): void {
    if (this.taken.delete(number)) this.least = Math.min(this.least, number);
  }
}
