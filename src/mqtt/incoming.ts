/** The bytes that a broker sends: packets of a limited size, handed on so that other work gets its turn in between. */
import type { Duplex, Writable } from 'node:stream';
import type { TimeSource } from '../async/time.js';

/** The time spent on packets in one turn of the event loop, ms. */
export const TURN_MS = 10;
/** A piece full of the smallest packets, of two bytes (MQTT 5.0, 2.1), takes a few milliseconds. */
export const PIECE_BYTES = 1024;

/** Pipes `stream` in pieces, each once all packets of the previous one are handled, for `TURN_MS` in each turn of the event loop. */
export const pipeInTurns = <S extends Pick<Duplex, 'on' | 'pause' | 'resume' | 'pipe' | 'destroyed'>>(
  stream: S,
  time: TimeSource,
): S => {
  let began: number | undefined;

  const isTurnOver = (): boolean => {
    if (began === undefined) {
      began = time.now();
      setImmediate(() => (began = undefined));
    }
    return time.now() - began >= TURN_MS;
  };

  const write = (destination: Writable, bytes: Buffer): void => {
    const goOn = (): void => write(destination, bytes.subarray(PIECE_BYTES));
    if (stream.destroyed) return;
    if (bytes.length === 0) stream.resume();
    else
      destination.write(bytes.subarray(0, PIECE_BYTES), () => {
        if (isTurnOver()) setImmediate(goOn);
        else goOn();
      });
  };

  return Object.assign(stream, {
    pipe: <D extends Writable>(destination: D): D => {
      stream.on('data', (chunk: Buffer) => {
        stream.pause();
        write(destination, chunk);
      });
      return destination;
    },
  });
};

/** A length has at most four bytes, of seven bits each. */
const LENGTH_BITS = 28;

/**
 * Calls `tooLarge` with the size of each packet on `stream` that has more than `most` bytes, as soon as its length has arrived.
 * Fixed header and remaining length: MQTT 5.0, 2.1.
 */
export const limitPackets = (
  stream: Pick<Duplex, 'on'>,
  most: number,
  tooLarge: (bytes: number) => void,
): void => {
  /** The bytes of the packet that have not arrived yet. */
  let missingBytes = 0;
  let length = 0;
  /** Bits of the length that have arrived; undefined: the next byte is the first of a packet. */
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
    missingBytes = length;
    if (size > most) tooLarge(size);
  };

  stream.on('data', (chunk: Buffer) => {
    let at = 0;
    while (at < chunk.length) {
      const body = Math.min(missingBytes, chunk.length - at);
      missingBytes -= body;
      at += body;
      if (at < chunk.length) readHeader(chunk.readUInt8(at++));
    }
  });
};
