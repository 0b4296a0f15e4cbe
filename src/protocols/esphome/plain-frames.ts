/** Plain frames: 0, the length of the payload and the type as varints, and the payload. */
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import * as E from 'fp-ts/lib/Either.js';
import {
  BAD_INDICATOR,
  ENCRYPTED,
  gather,
  NOT_WHOLE,
  PLAIN,
  type FrameError,
  type Framing,
  type FramingUser,
} from './framing.js';

/** The longest payload of a plain frame: a length of 16 bits, as in encrypted frames. */
const LONGEST_FRAME = 0xffff;
/** The most bytes of a varint of 32 bits. */
const LONGEST_VARINT = 5;

/** The varint at `offset`, and the offset after it; undefined: it is not whole. Left: it is too long. */
const varint = (
  bytes: Buffer,
  offset: number,
): E.Either<FrameError, readonly [number, number] | undefined> => {
  const part = bytes.subarray(offset, offset + LONGEST_VARINT);
  const last = part.findIndex((byte) => (byte & 0x80) === 0);
  if (last >= 0) return E.right([new BinaryReader(part).uint32(), offset + last + 1]);
  return part.length < LONGEST_VARINT
    ? E.right(undefined)
    : E.left({ _tag: 'BadFrame', reason: 'a length or a type is too long' });
};

export const plainFraming = (user: FramingUser): Framing => {
  queueMicrotask(user.ready);
  return {
    receive: gather((buffered) => {
      if (buffered[0] === ENCRYPTED) return E.left({ _tag: 'KeyNeeded' });
      if (buffered[0] !== PLAIN)
        return E.left({ _tag: 'BadFrame', reason: `a frame begins with ${String(buffered[0])}` });
      const length = varint(buffered, 1);
      if (E.isLeft(length)) return length;
      if (length.right === undefined) return NOT_WHOLE;
      const [size, typeAt] = length.right;
      if (size > LONGEST_FRAME)
        return E.left({ _tag: 'BadFrame', reason: `a frame of ${size} bytes is too long` });
      const type = varint(buffered, typeAt);
      if (E.isLeft(type)) return type;
      if (type.right === undefined) return NOT_WHOLE;
      const [id, at] = type.right;
      if (buffered.length < at + size) return NOT_WHOLE;
      user.packet({ id, payload: buffered.subarray(at, at + size) });
      return E.right(at + size);
    }),
    send: ({ id, payload }) => {
      const header = new BinaryWriter().uint32(PLAIN).uint32(payload.length).uint32(id).finish();
      user.write(Buffer.concat([header, payload]));
    },
  };
};

/** The framing of a server, which refuses a client that encrypts. */
export const plainServer = (user: FramingUser): Framing => {
  const framing = plainFraming(user);
  return {
    ...framing,
    receive: (bytes) => {
      const received = framing.receive(bytes);
      if (E.isLeft(received) && received.left._tag === 'KeyNeeded')
        user.write(Buffer.concat([Buffer.of(PLAIN), Buffer.from(BAD_INDICATOR)]));
      return received;
    },
  };
};
