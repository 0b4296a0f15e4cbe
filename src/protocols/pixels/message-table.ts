/** Messages of one direction: byte 0 is the number of the message, the rest its payload (docs/pixels-protocol.md §3). */
import * as E from 'fp-ts/lib/Either.js';
import { countBytes, hexByte, rowsOf, type ValueOf, type WireRow } from '../../bytes/index.js';
import { parseError, parseFailure, type ParseError } from '../../codecs/parse-error.js';

export interface MessageRow extends WireRow {
  /** Byte 0. */
  readonly number: number;
}

export interface MessageCodec<M> {
  /** A number that its field cannot hold becomes the nearest one that it can. */
  readonly encode: (message: M) => Buffer;
  /**
   * Bytes behind the fields are ignored, as newer firmware may add some. Left for an unknown number, a message that is too
   * short, or a value without meaning.
   */
  readonly decode: (bytes: Buffer) => E.Either<ParseError, M>;
}

/** `noun`: the name of messages of this direction. */
export const messageCodec = <T extends Readonly<Record<keyof T & string, MessageRow>>>(
  noun: string,
  table: T,
): MessageCodec<ValueOf<T>> => {
  const rows = rowsOf<keyof T & string, MessageRow>(table);
  return {
    encode: (message) => {
      const row: MessageRow = table[message._tag];
      return Buffer.concat([Buffer.from([row.number]), row.payload.write(message)]);
    },
    decode: (bytes) => {
      const [number] = bytes;
      if (number === undefined) return parseFailure(`a ${noun} must have at least 1 byte, got none`);
      const found = rows.find(([, row]) => row.number === number);
      if (found === undefined) return parseFailure(`no ${noun} has the number ${hexByte(number)}`);
      const [_tag, { payload }] = found;
      const rest = bytes.subarray(1);
      const least = Math.min(...payload.sizes);
      if (rest.length < least) {
        return parseFailure(
          `the ${noun} ${_tag} must have at least ${countBytes(1 + least)}, got ${bytes.length}`,
        );
      }
      const problem = payload.problem(rest);
      if (problem !== undefined) return E.left(parseError(problem));
      return E.right({ _tag, ...(payload.read(rest) as object) } as ValueOf<T>);
    },
  };
};
