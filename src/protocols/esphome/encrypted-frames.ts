/** Encrypted frames: 1, a length of 16 bits, big-endian, and data. The handshake comes first. */
import * as E from 'fp-ts/lib/Either.js';
import {
  bad,
  BAD_INDICATOR,
  DONE,
  ENCRYPTED,
  gather,
  NOT_WHOLE,
  type FrameError,
  type Framing,
  type FramingUser,
  type Result,
} from './framing.js';
import type { Packet } from './messages.js';
import { initiate, respond, type NoiseSession } from './noise.js';

/** The only protocol that a server can choose. */
const NNPSK0 = 1;

/** The first byte of a frame of the handshake: either the next step, or a refusal with a text. */
const HANDSHAKE = 0;
const REFUSED = 1;

/** The text with which servers refuse a wrong key. */
export const WRONG_KEY_TEXT = 'Handshake MAC failure';

/** The most bytes of a refusal that are shown. */
const LONGEST_REFUSAL = 255;

/** Marker and length of an encrypted frame. */
const HEADER_BYTES = 3;
/** Type and length of a packet in an encrypted frame. */
const PACKET_HEADER_BYTES = 4;

const encryptedFrame = (data: Uint8Array): Buffer => {
  const header = Buffer.of(ENCRYPTED, 0, 0);
  header.writeUInt16BE(data.length, 1);
  return Buffer.concat([header, data]);
};

/** Takes encrypted frames; Left `otherwise`: a frame does not begin with the marker 1. */
const encryptedFrames = (take: (data: Buffer) => Result, otherwise: FrameError): Framing['receive'] =>
  gather((buffered) => {
    if (buffered[0] !== ENCRYPTED) return E.left(otherwise);
    if (buffered.length < HEADER_BYTES) return NOT_WHOLE;
    const end = HEADER_BYTES + buffered.readUInt16BE(1);
    if (buffered.length < end) return NOT_WHOLE;
    return E.map(() => end)(take(buffered.subarray(HEADER_BYTES, end)));
  });

/** The packets of an encrypted session. */
const openSession = (user: FramingUser, { sending, receiving }: NoiseSession) => ({
  receive: (data: Buffer): Result => {
    const decrypted = receiving.decrypt(data);
    if (E.isLeft(decrypted)) return bad('a frame cannot be decrypted');
    const packet = decrypted.right;
    if (packet.length < PACKET_HEADER_BYTES) return bad('an encrypted packet is too short');
    const end = PACKET_HEADER_BYTES + packet.readUInt16BE(2);
    if (packet.length < end) return bad('an encrypted packet is shorter than it says');
    user.packet({ id: packet.readUInt16BE(0), payload: packet.subarray(PACKET_HEADER_BYTES, end) });
    return DONE;
  },
  send: ({ id, payload }: Packet): void => {
    const header = Buffer.alloc(PACKET_HEADER_BYTES);
    header.writeUInt16BE(id, 0);
    header.writeUInt16BE(payload.length, 2);
    user.write(encryptedFrame(sending.encrypt(Buffer.concat([header, payload]))));
  },
});

/** Prologue of the handshake: a fixed text, and the hello of the client with its length. */
const prologueOf = (hello: Buffer): Buffer => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(hello.length, 0);
  return Buffer.concat([Buffer.from('NoiseAPIInit'), length, hello]);
};

/** The states of an encrypted connection: each takes the next frame. */
const stepping = (
  first: (data: Buffer, next: (step: (data: Buffer) => Result) => void) => Result,
  otherwise: FrameError,
): Framing['receive'] => {
  let step = (data: Buffer): Result => first(data, (next) => (step = next));
  return encryptedFrames((data) => step(data), otherwise);
};

const NO_SESSION = (): void => undefined;

/** The framing of a client. */
export const encryptedClient = (user: FramingUser, key: Uint8Array): Framing => {
  let send: Framing['send'] = NO_SESSION;
  const hello = Buffer.alloc(0);
  const noise = initiate({ key, prologue: prologueOf(hello) });
  user.write(
    Buffer.concat([
      encryptedFrame(hello),
      encryptedFrame(Buffer.concat([Buffer.of(HANDSHAKE), noise.message])),
    ]),
  );

  const finish = (data: Buffer, next: (step: (data: Buffer) => Result) => void): Result => {
    if (data[0] !== HANDSHAKE) {
      const text = data.subarray(1, 1 + LONGEST_REFUSAL).toString();
      return text === WRONG_KEY_TEXT
        ? E.left({ _tag: 'WrongKey' })
        : bad(`the handshake was refused: ${text}`);
    }
    const finished = noise.finish(data.subarray(1));
    if (E.isLeft(finished)) return E.left({ _tag: 'WrongKey' });
    const session = openSession(user, finished.right);
    send = session.send;
    next(session.receive);
    user.ready();
    return DONE;
  };
  return {
    receive: stepping(
      (data, next) => {
        // The name and the address that follow are ignored: the device's information has them too.
        if (data[0] !== NNPSK0) return bad(`the server chose the unknown protocol ${String(data[0])}`);
        next((answer) => finish(answer, next));
        return DONE;
      },
      { _tag: 'NotEncrypted' },
    ),
    send: (packet) => send(packet),
  };
};

/** The framing of a server; `name` and `mac` (12 hex digits) are sent before the handshake. */
export const encryptedServer = (
  user: FramingUser,
  { key, name, mac }: { readonly key: Uint8Array; readonly name: string; readonly mac: string },
): Framing => {
  let send: Framing['send'] = NO_SESSION;
  const refuse = (text: string): void =>
    user.write(encryptedFrame(Buffer.concat([Buffer.of(REFUSED), Buffer.from(text)])));

  const answer = (hello: Buffer, data: Buffer, next: (step: (data: Buffer) => Result) => void): Result => {
    const answered =
      data[0] === HANDSHAKE
        ? respond({ key, prologue: prologueOf(hello) }, data.subarray(1))
        : E.left('forged' as const);
    if (E.isLeft(answered)) {
      refuse(WRONG_KEY_TEXT);
      return E.left({ _tag: 'WrongKey' });
    }
    user.write(encryptedFrame(Buffer.concat([Buffer.of(HANDSHAKE), answered.right.message])));
    const session = openSession(user, answered.right);
    send = session.send;
    next(session.receive);
    user.ready();
    return DONE;
  };
  const receive = stepping(
    (data, next) => {
      const hello = Buffer.from(data);
      user.write(encryptedFrame(Buffer.concat([Buffer.of(NNPSK0), Buffer.from(`${name}\0${mac}\0`)])));
      next((handshake) => answer(hello, handshake, next));
      return DONE;
    },
    { _tag: 'NotEncrypted' },
  );
  return {
    receive: (bytes) => {
      const received = receive(bytes);
      // A plain client learns from the first byte of this refusal that it needs a key.
      if (E.isLeft(received) && received.left._tag === 'NotEncrypted') refuse(BAD_INDICATOR);
      return received;
    },
    send: (packet) => send(packet),
  };
};
