/**
 * The handshake of the ESPHome native API, Noise_NNpsk0_25519_ChaChaPoly_SHA256 (The Noise Protocol Framework, revision
 * 34, 5, 7.4 and 9): both sides have a key of 32 bytes. Node provides the primitives.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';

/** 32 bytes in base64, as `api: encryption: key:` of ESPHome has them. */
const FORM = /^[A-Za-z0-9+/]{43}=$/;

/** Reads an encryption key. Left: a message without the key. */
export const readKey = (text: string): E.Either<string, Buffer> =>
  FORM.test(text.trim())
    ? E.right(Buffer.from(text.trim(), 'base64'))
    : E.left(`it must be a key of ${KEY_BYTES} bytes in base64 (44 characters), such as ESPHome makes`);

/** The name of the protocol; it is longer than a hash, so the state begins with its hash. */
export const NOISE_PROTOCOL = 'Noise_NNpsk0_25519_ChaChaPoly_SHA256';

/** Bytes of a key, of a public key and of a hash. */
export const KEY_BYTES = 32;
/** Bytes of the authentication tag at the end of a ciphertext. */
export const TAG_BYTES = 16;

const CIPHER = 'chacha20-poly1305';

const NOTHING = Buffer.alloc(0);

const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

/** HKDF of Noise (4.3), the same as in RFC 5869 without `info`: keys of 32 bytes. */
const derive = (chainingKey: Buffer, material: Uint8Array, keys: number): readonly Buffer[] => {
  const all = Buffer.from(hkdfSync('sha256', material, chainingKey, NOTHING, keys * KEY_BYTES));
  return Array.from({ length: keys }, (_, index) => all.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES));
};

/** Encrypts or decrypts the messages of one direction, in order (5.1). */
export class NoiseCipher {
  private count = 0n;

  constructor(private readonly key: Buffer) {}

  encrypt(plaintext: Uint8Array, associated: Uint8Array = NOTHING): Buffer {
    const cipher = createCipheriv(CIPHER, this.key, this.nonce(), { authTagLength: TAG_BYTES });
    cipher.setAAD(associated, { plaintextLength: plaintext.length });
    const text = cipher.update(plaintext);
    return Buffer.concat([text, cipher.final(), cipher.getAuthTag()]);
  }

  /** Left: the ciphertext is not the next message under this key. */
  decrypt(ciphertext: Buffer, associated: Uint8Array = NOTHING): E.Either<'forged', Buffer> {
    const length = ciphertext.length - TAG_BYTES;
    if (length < 0) return E.left('forged');
    const decipher = createDecipheriv(CIPHER, this.key, this.nonce(), { authTagLength: TAG_BYTES });
    decipher.setAAD(associated, { plaintextLength: length });
    decipher.setAuthTag(ciphertext.subarray(length));
    return E.tryCatch(
      () => Buffer.concat([decipher.update(ciphertext.subarray(0, length)), decipher.final()]),
      () => 'forged',
    );
  }

  /** 32 zero bits, then the number of the message, little-endian (12.3). */
  private nonce(): Buffer {
    const nonce = Buffer.alloc(12);
    nonce.writeBigUInt64LE(this.count, 4);
    this.count += 1n;
    return nonce;
  }
}

/** The common state of both sides (5.2). */
class SymmetricState {
  private chainingKey = sha256(Buffer.from(NOISE_PROTOCOL));
  private digest = this.chainingKey;
  private cipher: NoiseCipher | undefined;

  mixHash(data: Uint8Array): void {
    this.digest = sha256(this.digest, data);
  }

  mixKey(material: Uint8Array): void {
    const [chainingKey = NOTHING, key = NOTHING] = derive(this.chainingKey, material, 2);
    this.chainingKey = chainingKey;
    this.cipher = new NoiseCipher(key);
  }

  mixKeyAndHash(material: Uint8Array): void {
    const [chainingKey = NOTHING, digest = NOTHING, key = NOTHING] = derive(this.chainingKey, material, 3);
    this.chainingKey = chainingKey;
    this.mixHash(digest);
    this.cipher = new NoiseCipher(key);
  }

  encryptAndHash(plaintext: Uint8Array): Buffer {
    const text = this.cipher?.encrypt(plaintext, this.digest) ?? NOTHING;
    this.mixHash(text);
    return text;
  }

  decryptAndHash(text: Buffer): E.Either<'forged', Buffer> {
    const plaintext = this.cipher?.decrypt(text, this.digest) ?? E.left('forged');
    this.mixHash(text);
    return plaintext;
  }

  /** The ciphers from and to the initiator. */
  split(): readonly [NoiseCipher, NoiseCipher] {
    const [first = NOTHING, second = NOTHING] = derive(this.chainingKey, NOTHING, 2);
    return [new NoiseCipher(first), new NoiseCipher(second)];
  }

  get handshakeHash(): Buffer {
    return this.digest;
  }
}

const rawPublic = (key: KeyObject): Buffer =>
  Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url');

const sharedSecret = (privateKey: KeyObject, other: Uint8Array): Buffer => {
  const x = Buffer.from(other).toString('base64url');
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'X25519', x } });
  return diffieHellman({ privateKey, publicKey });
};

export interface NoiseOptions {
  /** The key that both sides have. */
  readonly key: Uint8Array;
  readonly prologue: Uint8Array;
  /** A private key of X25519; left out: a new key. */
  readonly ephemeral?: KeyObject;
}

/** The result of the handshake, for both sides. */
export interface NoiseSession {
  readonly sending: NoiseCipher;
  readonly receiving: NoiseCipher;
  readonly handshakeHash: Buffer;
}

const begin = ({ key, prologue }: NoiseOptions): SymmetricState => {
  const state = new SymmetricState();
  state.mixHash(prologue);
  state.mixKeyAndHash(key);
  return state;
};

const newKey = (): KeyObject => generateKeyPairSync('x25519').privateKey;

/** Mixes in a public key, as handshakes with a pre-shared key do (9.2). */
const mixEphemeral = (state: SymmetricState, publicKey: Uint8Array): void => {
  state.mixHash(publicKey);
  state.mixKey(publicKey);
};

/** Left: the other side has another key, or the message does not belong to this handshake. */
type Read<A> = E.Either<'forged', A>;

/** The side that speaks first: `-> psk, e` and `<- e, ee`. */
export const initiate = (options: NoiseOptions, payload: Uint8Array = NOTHING) => {
  const { ephemeral = newKey() } = options;
  const state = begin(options);
  const publicKey = rawPublic(ephemeral);
  mixEphemeral(state, publicKey);
  return {
    message: Buffer.concat([publicKey, state.encryptAndHash(payload)]),
    /** Takes the response. */
    finish: (response: Buffer): Read<NoiseSession & { readonly payload: Buffer }> => {
      const other = response.subarray(0, KEY_BYTES);
      if (other.length < KEY_BYTES) return E.left('forged');
      mixEphemeral(state, other);
      const mixed = mixSecret(state, ephemeral, other);
      if (E.isLeft(mixed)) return mixed;
      const received = state.decryptAndHash(response.subarray(KEY_BYTES));
      if (E.isLeft(received)) return received;
      const [sending, receiving] = state.split();
      return E.right({ sending, receiving, handshakeHash: state.handshakeHash, payload: received.right });
    },
  };
};

/** The side that answers the first message of the other. */
export const respond = (
  options: NoiseOptions,
  message: Buffer,
  payload: Uint8Array = NOTHING,
): Read<NoiseSession & { readonly payload: Buffer; readonly message: Buffer }> => {
  const { ephemeral = newKey() } = options;
  const state = begin(options);
  const other = message.subarray(0, KEY_BYTES);
  if (other.length < KEY_BYTES) return E.left('forged');
  mixEphemeral(state, other);
  const received = state.decryptAndHash(message.subarray(KEY_BYTES));
  if (E.isLeft(received)) return received;
  const publicKey = rawPublic(ephemeral);
  mixEphemeral(state, publicKey);
  const mixed = mixSecret(state, ephemeral, other);
  if (E.isLeft(mixed)) return mixed;
  const response = Buffer.concat([publicKey, state.encryptAndHash(payload)]);
  const [receiving, sending] = state.split();
  return E.right({
    ...{ sending, receiving, handshakeHash: state.handshakeHash },
    ...{ payload: received.right, message: response },
  });
};

/** Left: the public key has a low order, which makes a secret of zeros, and Node refuses it. */
const mixSecret = (state: SymmetricState, privateKey: KeyObject, other: Uint8Array): Read<void> =>
  E.tryCatch(
    () => state.mixKey(sharedSecret(privateKey, other)),
    () => 'forged',
  );
