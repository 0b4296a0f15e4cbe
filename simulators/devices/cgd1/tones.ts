import { createHash } from 'node:crypto';
import {
  AUDIO_BLOCK,
  MAX_AUDIO,
  RINGTONES,
  isAcknowledged,
  type AckOutcome,
} from '../../../src/protocols/cgd1/index.js';

/** A tone that arrived. */
export interface Tone {
  readonly signature: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of all bytes, hex. */
  readonly sha256: string;
}

/** A tone on its way. */
export interface Upload {
  readonly signature: string;
  readonly size: number;
  /** Bytes so far. */
  readonly received: number;
}

const builtIn: readonly string[] = Object.values(RINGTONES);

/** The tones of a clock, and uploads (docs/cgd1-protocol.md §8). One that does not arrive in full leaves nothing behind. */
export class Tones {
  private running: (Upload & { readonly blocks: readonly Buffer[] }) | null = null;
  private last: Tone | null = null;

  /** `current`: the signature of the tone that alarms play. */
  constructor(private current: string) {}

  get inUse(): string {
    return this.current;
  }

  get upload(): Upload | null {
    if (this.running === null) return null;
    const { signature, size, received } = this.running;
    return { signature, size, received };
  }

  get uploaded(): Tone | null {
    return this.last;
  }

  /** Takes the tone of that signature into use if it is there in full. */
  choose(signature: string): void {
    if (builtIn.includes(signature) || this.last?.signature === signature) this.current = signature;
  }

  /** An upload begins. It fails for the tone in use, and for one too long or empty. */
  begin(signature: string, size: number): AckOutcome {
    this.abort();
    if (signature === this.current || size === 0 || size > MAX_AUDIO) return 'failure';
    this.running = { signature, size, received: 0, blocks: [] };
    return 'success';
  }

  /** The outcome to acknowledge after a block; undefined: nothing yet. */
  take(block: Buffer): AckOutcome | undefined {
    if (this.running === null) return 'failure';
    const { signature, size } = this.running;
    const blocks = [...this.running.blocks, Buffer.from(block)];
    const received = Math.min(size, blocks.length * AUDIO_BLOCK);
    this.running = { signature, size, received, blocks };
    if (received === size) {
      const sha256 = createHash('sha256').update(Buffer.concat(blocks, size)).digest('hex');
      this.last = { signature, size, sha256 };
      this.abort();
    }
    return isAcknowledged(blocks.length - 1, Math.ceil(size / AUDIO_BLOCK)) ? 'success' : undefined;
  }

  abort(): void {
    this.running = null;
  }

  /** Restores the factory state: `current` in use, no uploads. */
  reset(current: string): void {
    this.current = current;
    this.running = null;
    this.last = null;
  }
}
