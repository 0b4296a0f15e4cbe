/** L2CAP packets in the fragments of ACL data (Core 5.4 Vol 3 Part A 3.1 and 7.2.1). */

/** The length of the payload, and the channel. */
export const L2CAP_HEADER = 4;

export interface L2capPacket {
  readonly channel: number;
  readonly payload: Buffer;
}

export const encodeL2cap = (channel: number, payload: Buffer): Buffer => {
  const packet = Buffer.allocUnsafe(L2CAP_HEADER + payload.length);
  packet.writeUInt16LE(payload.length, 0);
  packet.writeUInt16LE(channel, 2);
  payload.copy(packet, L2CAP_HEADER);
  return packet;
};

/** Puts together the fragments that one side sends. */
export class Reassembly {
  private pending: Buffer = Buffer.alloc(0);

  /** How many bytes of a packet that is not whole have arrived. */
  get arrived(): number {
    return this.pending.length;
  }

  /** How many bytes that packet has; undefined while its header is not whole. */
  get length(): number | undefined {
    return this.pending.length < L2CAP_HEADER ? undefined : L2CAP_HEADER + this.pending.readUInt16LE(0);
  }

  /** The packet that `fragment` completes, if it does. */
  take(fragment: Buffer, continues: boolean): L2capPacket | undefined {
    this.pending = continues ? Buffer.concat([this.pending, fragment]) : fragment;
    const { length, pending } = this;
    if (length === undefined || pending.length < length) return undefined;
    this.pending = Buffer.alloc(0);
    return { channel: pending.readUInt16LE(2), payload: pending.subarray(L2CAP_HEADER, length) };
  }
}
