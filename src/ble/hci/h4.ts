import { PacketType } from './packets.js';

/** The length of the header after the type byte, and the length of the body in that header (Core 5.4 Vol 4 Part E 5.4). */
const headers: Readonly<Record<number, { header: number; length: (header: Buffer) => number }>> = {
  [PacketType.command]: { header: 3, length: (header) => header.readUInt8(2) },
  [PacketType.acl]: { header: 4, length: (header) => header.readUInt16LE(2) },
  [PacketType.sco]: { header: 3, length: (header) => header.readUInt8(2) },
  [PacketType.event]: { header: 2, length: (header) => header.readUInt8(1) },
  [PacketType.iso]: { header: 4, length: (header) => header.readUInt16LE(2) & 0x3fff },
};

/**
 * Splits an H4 byte stream into packets, whatever the chunks (Core 5.4 Vol 4 Part A).
 * `lost` is called once at an unknown type byte: the stream is out of step, and no more is read.
 */
export const h4Reader = (packet: (packet: Buffer) => void, lost: (reason: string) => void) => {
  let pending: Buffer = Buffer.alloc(0);
  let broken = false;
  return (chunk: Buffer): void => {
    if (broken) return;
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    let offset = 0;
    while (offset < pending.length) {
      const type = pending.readUInt8(offset);
      const shape = headers[type];
      if (shape === undefined) {
        broken = true;
        lost(`0x${type.toString(16).padStart(2, '0')} is not an H4 packet type: the stream is out of step`);
        return;
      }
      const body = offset + 1 + shape.header;
      if (body > pending.length) break;
      const end = body + shape.length(pending.subarray(offset + 1, body));
      if (end > pending.length) break;
      packet(pending.subarray(offset, end));
      offset = end;
    }
    pending = pending.subarray(offset);
  };
};
