/** The size of MQTT packets, known from their first bytes. */
import type { Duplex } from 'node:stream';

/** A length has seven bits in each of its bytes, four at most. */
const LENGTH_BITS = 28;

/**
 * Calls `tooLarge` with the size in bytes of a packet on `stream` that has more than `most`, as soon as its length has come.
 * Fixed header and remaining length: MQTT 5.0, 2.1.
 */
export const limitPackets = (
  stream: Pick<Duplex, 'on'>,
  most: number,
  tooLarge: (bytes: number) => void,
): void => {
  /** Bytes of the packet that are still to come. */
  let left = 0;
  let length = 0;
  /** How many bits of the length have come; undefined: the next byte is the first of a packet. */
  let bits: number | undefined;

  const readHeader = (byte: number): void => {
    if (bits === undefined) {
      bits = 0;
      length = 0;
      return;
    }
    length += (byte & 0x7f) << bits;
    bits += 7;
    if (byte >= 0x80 && bits < LENGTH_BITS) return;
    const size = 1 + bits / 7 + length;
    bits = undefined;
    left = length;
    if (size > most) tooLarge(size);
  };

  stream.on('data', (chunk: Buffer) => {
    let at = 0;
    while (at < chunk.length) {
      const body = Math.min(left, chunk.length - at);
      left -= body;
      at += body;
      if (at < chunk.length) readHeader(chunk.readUInt8(at++));
    }
  });
};
