/** The commands that a die has received, counted by opcode: byte 0. */
export class ReceivedCommands {
  private readonly counts = new Map<number, number>();

  /** Undefined if there is no opcode. */
  count([opcode]: Buffer): number | undefined {
    if (opcode !== undefined) this.counts.set(opcode, (this.counts.get(opcode) ?? 0) + 1);
    return opcode;
  }

  get byOpcode(): ReadonlyMap<number, number> {
    return this.counts;
  }
}
