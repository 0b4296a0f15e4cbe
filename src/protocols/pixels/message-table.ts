/** Messages of one direction: byte 0 is the number of the message, the rest its payload (docs/pixels-protocol.md §3). */
import * as E from 'fp-ts/lib/Either.js';
import { countBytes, hexByte, rowsOf, type ValueOf, type WireRow } from '../../bytes/index.js';
import { parseError, parseFailure, type ParseError } from '../../codecs/parse-error.js';

export interface MessageRow extends WireRow {
  /** Byte 0. */
  readonly number: number;
}

export interface MessageCodec<M> {
  /** A number out of the range of its field becomes the nearest in range. */
  readonly encode: (message: M) => Buffer;
  /**
   * Ignores bytes after the fields, as newer firmware may add some. Left: an unknown number, too few bytes, or a value
   * without meaning.
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
      const entry = rows.find(([, row]) => row.number === number);
      if (entry === undefined) return parseFailure(`no ${noun} has the number ${hexByte(number)}`);
      const [_tag, { payload }] = entry;
      const body = bytes.subarray(1);
      const least = Math.min(...payload.sizes);
      if (body.length < least) {
        return parseFailure(
          `the ${noun} ${_tag} must have at least ${countBytes(1 + least)}, got ${bytes.length}`,
        );
      }
      const problem = payload.problem(body);
      if (problem !== undefined) return E.left(parseError(problem));
      return E.right({ _tag, ...(payload.read(body) as object) } as ValueOf<T>);
    },
  };
};
