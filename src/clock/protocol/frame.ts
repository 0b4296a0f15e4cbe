import * as E from 'fp-ts/lib/Either.js';
import { countBytes, hexBytes } from '../../bytes/index.js';
import { parseFailure, type ParseError } from '../../parse-error.js';

/** What one write or notification carries (docs/cgd1-protocol.md §3). */
export interface Frame {
  /** The byte behind the length: which command. */
  readonly opcode: number;
  readonly payload: Buffer;
}

/** `[length][opcode][payload]`; the length counts what follows it. */
export const encodeFrame = (opcode: number, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from([1 + payload.length, opcode]), payload]);

/** Left unless the first byte is the number of bytes behind it, at least 1. */
export const decodeFrame = (bytes: Buffer): E.Either<ParseError, Frame> => {
  const [length, opcode] = bytes;
  if (length === undefined || opcode === undefined) {
    return parseFailure(`a frame must have at least 2 bytes, got ${hexBytes(bytes)}`);
  }
  return length === bytes.length - 1
    ? E.right({ opcode, payload: bytes.subarray(2) })
    : parseFailure(
        `a frame that begins with ${length} must have ${countBytes(length + 1)}, got ${bytes.length}`,
      );
};
