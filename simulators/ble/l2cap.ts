/** L2CAP packets in the fragments of ACL data (Core 5.4 Vol 3 Part A 3.1 and 7.2.1). */

import { u16 } from '../../src/bytes/index.js';
import { Boundary, encodeAcl } from '../../src/ble/hci/packets.js';

/** The length of the payload, and the channel. */
export const L2CAP_HEADER = 4;

export interface L2capPacket {
  readonly channel: number;
  readonly payload: Buffer;
}

/** The link of ACL data without its H4 type, and whether it continues an L2CAP packet (Core 5.4 Vol 4 Part E 5.4.2). */
export const aclHead = (data: Buffer): { readonly handle: number; readonly continues: boolean } => {
  const head = u16.read(data, 0);
  return { handle: head & 0x0fff, continues: ((head >> 12) & 0b11) === Boundary.continuing };
};

/** The ACL packets by which a host sends an L2CAP packet, in buffers of `size` bytes. */
export const encodeL2cap = (
  handle: number,
  { channel, payload }: L2capPacket,
  size: number,
): readonly Buffer[] => {
  const whole = Buffer.allocUnsafe(L2CAP_HEADER + payload.length);
  whole.writeUInt16LE(payload.length, 0);
  whole.writeUInt16LE(channel, 2);
  payload.copy(whole, L2CAP_HEADER);
  const packets: Buffer[] = [];
  for (let at = 0; at < whole.length; at += size) {
    const boundary = at === 0 ? Boundary.firstFromHost : Boundary.continuing;
    packets.push(encodeAcl(handle, boundary, whole.subarray(at, at + size)));
  }
  return packets;
};

/** Puts together the fragments that one side sends. */
export class Reassembly {
  private pending: Buffer = Buffer.alloc(0);

  /** The number of bytes of an incomplete packet that have arrived. */
  get arrived(): number {
    return this.pending.length;
  }

  /** The length of the incomplete packet, bytes; undefined while its header is incomplete. */
  get length(): number | undefined {
    return this.pending.length < L2CAP_HEADER ? undefined : L2CAP_HEADER + u16.read(this.pending, 0);
  }

  /** The packet that `fragment` completes, if any. A continuation without a beginning is dropped (Core 5.4 Vol 3 Part A 7.2.2). */
  take(fragment: Buffer, continues: boolean): L2capPacket | undefined {
    if (continues && this.pending.length === 0) return undefined;
    this.pending = continues ? Buffer.concat([this.pending, fragment]) : fragment;
    const { length, pending } = this;
    if (length === undefined || pending.length < length) return undefined;
    this.pending = Buffer.alloc(0);
    return { channel: u16.read(pending, 2), payload: pending.subarray(L2CAP_HEADER, length) };
  }
}
