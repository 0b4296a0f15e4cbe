/** Bytes from a broker, handed on so that other work gets its turn in between. */
import type { Duplex, Writable } from 'node:stream';
import type { TimeSource } from '../async/time.js';

/** How long packets are worked on before all else has its turn, ms. */
export const TURN_MS = 10;
/** The smallest packets have two bytes (MQTT 5.0, 2.1): a piece full of them takes a few milliseconds. */
export const PIECE_BYTES = 1024;

/** Pipes `stream` in pieces, each when all packets of the one before are handled, for `TURN_MS` in each turn of the event loop. */
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

  const write = (destination: Writable, rest: Buffer): void => {
    const goOn = (): void => write(destination, rest.subarray(PIECE_BYTES));
    if (stream.destroyed) return;
    if (rest.length === 0) stream.resume();
    else
      destination.write(rest.subarray(0, PIECE_BYTES), () => {
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
