import * as E from 'fp-ts/lib/Either.js';
import { countBytes, shortBytes } from '../../bytes/index.js';
import { parseFailure, type ParseError } from '../../codecs/parse-error.js';

/** The content of one write or notification (docs/cgd1-protocol.md §3). */
export interface Frame {
  /** The byte after the length: the kind of command. */
  readonly opcode: number;
  readonly payload: Buffer;
}

/** `[length][opcode][payload]`; the length counts the bytes after it. */
export const encodeFrame = (opcode: number, payload: Buffer): Buffer => {
  const frame = Buffer.allocUnsafe(2 + payload.length);
  frame[0] = 1 + payload.length;
  frame[1] = opcode;
  frame.set(payload, 2);
  return frame;
};

/** Left: the first byte is not the number of bytes after it, at least 1. */
export const decodeFrame = (bytes: Buffer): E.Either<ParseError, Frame> => {
  const length = bytes[0];
  const opcode = bytes[1];
  if (length === undefined || opcode === undefined) {
    return parseFailure(`a frame must have at least 2 bytes, got ${shortBytes(bytes)}`);
  }
  return length === bytes.length - 1
    ? E.right({ opcode, payload: bytes.subarray(2) })
    : parseFailure(
        `a frame that begins with ${length} must have ${countBytes(length + 1)}, got ${bytes.length}`,
      );
};
