/**
 * Frames of the ESPHome native API: each is a packet, plain or encrypted
 * (github.com/esphome/aioesphomeapi, `aioesphomeapi/_frame_helper/`).
 */
import * as E from 'fp-ts/lib/Either.js';
import type { Packet } from './messages.js';
import type { MessageError } from './protobuf.js';

/** The first byte of each frame. */
export const PLAIN = 0;
export const ENCRYPTED = 1;

/** The longest payload of any frame: an encrypted frame has a header of 4 octets, a tag of 16, and a length of 16 bits. */
export const LONGEST_PAYLOAD = 0xffff - 4 - 16;

/** The reason that a server gives when it refuses a frame of the other form. */
export const BAD_INDICATOR = 'Bad indicator byte';

/** The reason why no further frame can be read. */
export type FrameError =
  /** The keys of both sides differ. */
  | { readonly _tag: 'WrongKey' }
  /** The other side encrypts, and we have no key. */
  | { readonly _tag: 'KeyNeeded' }
  /** We encrypt, and the other side does not. */
  | { readonly _tag: 'NotEncrypted' }
  | MessageError;

export type Result = E.Either<FrameError, void>;

export const DONE: Result = E.right(undefined);

export const bad = (reason: string): Result => E.left({ _tag: 'BadFrame', reason });

/** The connection that a framing serves. */
export interface FramingUser {
  readonly write: (bytes: Buffer) => void;
  /** Called when packets can be sent. */
  readonly ready: () => void;
  readonly packet: (packet: Packet) => void;
}

export interface Framing {
  /** Takes received bytes. Left: it can take no more. */
  readonly receive: (bytes: Buffer) => Result;
  readonly send: (packet: Packet) => void;
}

/** Gathers bytes; `take` returns the length of the frame at their beginning, 0 if the frame is not complete. */
export const gather = (take: (buffered: Buffer) => E.Either<FrameError, number>) => {
  let buffered: Buffer = Buffer.alloc(0);
  return (bytes: Buffer): Result => {
    buffered = buffered.length === 0 ? bytes : Buffer.concat([buffered, bytes]);
    while (buffered.length > 0) {
      const taken = take(buffered);
      if (E.isLeft(taken)) return taken;
      if (taken.right === 0) return DONE;
      buffered = buffered.subarray(taken.right);
    }
    return DONE;
  };
};

/** The buffered bytes are not a whole frame yet. */
export const NOT_WHOLE = E.right(0);
