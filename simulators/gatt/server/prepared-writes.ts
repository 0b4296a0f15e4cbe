import { AttError, DEFAULT_MTU, LONGEST_VALUE } from '../../../src/ble/hci/att.js';
import { Refusal } from '../../ble/discovery.js';

/** As many parts as the longest value has at the least MTU (Core 5.4 Vol 3 Part F 3.4.6.1). */
const MAX_PARTS = Math.ceil(LONGEST_VALUE / (DEFAULT_MTU - 5));

/** The parts of long values, until they are written (Core 5.4 Vol 3 Part F 3.4.6). */
export class PreparedWrites {
  private parts: { readonly handle: number; readonly offset: number; readonly value: Buffer }[] = [];

  /** @throws Refusal if there is no room. */
  add(handle: number, offset: number, value: Buffer): void {
    if (this.parts.length >= MAX_PARTS) throw new Refusal(handle, AttError.prepareQueueFull);
    this.parts.push({ handle, offset, value: Buffer.from(value) });
  }

  clear(): void {
    this.parts = [];
  }

  /**
   * Takes whole values by handle, in the order of their first parts; `before`: the value at a handle until now.
   * @throws Refusal if a part begins behind the end of what is there.
   */
  take(before: (handle: number) => Buffer): ReadonlyMap<number, Buffer> {
    const values = new Map<number, Buffer>();
    const { parts } = this;
    this.clear();
    for (const { handle, offset, value } of parts) {
      const whole = values.get(handle) ?? before(handle).subarray(0, offset);
      if (offset > whole.length) throw new Refusal(handle, AttError.invalidOffset);
      values.set(handle, Buffer.concat([whole.subarray(0, offset), value]));
    }
    return values;
  }
}
