const LEAST = 1024;

/** A buffer that grows with its content: at most twice as large, and 1 KiB at least. */
export class GrowingBytes {
  private buffer = Buffer.alloc(LEAST);
  private size = 0;

  /** Bytes of memory that it takes. */
  get capacity(): number {
    return this.buffer.length;
  }

  /** The bytes so far, not copied. */
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
