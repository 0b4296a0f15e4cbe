const LEAST = 1024;

/** Bytes that come one after another, in one buffer of at most twice their size (and 1 KiB at least). */
export class GrowingBytes {
  private buffer = Buffer.alloc(LEAST);
  private size = 0;

  /** How much memory it takes. */
  get capacity(): number {
    return this.buffer.length;
  }

  /** The bytes so far: no copy. */
  get bytes(): Buffer {
    return this.buffer.subarray(0, this.size);
  }

  push(byte: number): void {
    this.makeRoom(1);
    this.buffer[this.size] = byte;
    this.size += 1;
  }

  append(bytes: Buffer): void {
    this.makeRoom(bytes.length);
    bytes.copy(this.buffer, this.size);
    this.size += bytes.length;
  }

  private makeRoom(more: number): void {
    const needed = this.size + more;
    if (needed <= this.capacity) return;
    const larger = Buffer.alloc(Math.max(needed, 2 * this.capacity));
    this.buffer.copy(larger);
    this.buffer = larger;
  }
}
