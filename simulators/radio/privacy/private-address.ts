import type { Medium } from '../medium/medium.js';
import { makeResolvable } from '../../ble/device-address.js';

/** The part of the air on which private addresses depend. */
export type PrivacyMedium = Pick<Medium, 'time' | 'pace' | 'rng'>;

/**
 * The resolvable private address made with one key. The first read after its timeout replaces it; the timeout runs as fast
 * as the clock of devices (Core 5.4 Vol 6 Part B 6.1).
 */
export class PrivateAddress {
  private current: { readonly address: string; readonly since: number } | undefined;

  constructor(
    private readonly irk: Buffer,
    private readonly medium: PrivacyMedium,
    /** Milliseconds. */
    private readonly timeout: () => number,
  ) {}

  /** Upper case, colon-separated. */
  get address(): string {
    const { time, pace } = this.medium;
    const now = time.now();
    const { current } = this;
    if (current !== undefined && now - current.since < this.timeout() / pace.deviceSpeed) {
      return current.address;
    }
    const address = makeResolvable(this.irk, this.medium.rng());
    this.current = { address, since: now };
    return address;
  }
}
