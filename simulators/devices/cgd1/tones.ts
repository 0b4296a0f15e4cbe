import { createHash } from 'node:crypto';
import {
  AUDIO_BLOCK,
  MAX_AUDIO,
  RINGTONES,
  isAcknowledged,
  type AckOutcome,
} from '../../../src/protocols/cgd1/index.js';

/** A tone that arrived in full. */
export interface Tone {
  readonly signature: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of all bytes, hex. */
  readonly sha256: string;
}

/** An upload of a tone. */
export interface Upload {
  readonly signature: string;
  readonly size: number;
  /** Bytes so far. */
  readonly received: number;
}

const builtIn: readonly string[] = Object.values(RINGTONES);

/** The tones of a clock, and uploads (docs/cgd1-protocol.md §8). An incomplete upload is discarded. */
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

  /** Takes the tone with this signature into use if it is complete. */
  choose(signature: string): void {
    if (builtIn.includes(signature) || this.last?.signature === signature) this.current = signature;
  }

  /** Begins an upload, which fails for the tone in use and for a tone that is too long or empty. */
  begin(signature: string, size: number): AckOutcome {
    this.abort();
    if (signature === this.current || size === 0 || size > MAX_AUDIO) return 'failure';
    this.running = { signature, size, received: 0, blocks: [] };
    return 'success';
  }

  /** The outcome to acknowledge after a block; undefined: no acknowledgement yet. */
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
