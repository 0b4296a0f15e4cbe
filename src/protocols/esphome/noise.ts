/**
 * The handshake of the ESPHome native API, Noise_NNpsk0_25519_ChaChaPoly_SHA256 (The Noise Protocol Framework, revision
 * 34, 5, 7.4 and 9): both sides know a key of 32 bytes. Primitives are those of Node.
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

/** Reads an encryption key. Left: what it must be; the key is not in it. */
export const readKey = (text: string): E.Either<string, Buffer> =>
  FORM.test(text.trim())
    ? E.right(Buffer.from(text.trim(), 'base64'))
    : E.left(`it must be a key of ${KEY_BYTES} bytes in base64 (44 characters), such as ESPHome makes`);

/** The name is longer than a hash, so the state begins with its hash. */
export const NOISE_PROTOCOL = 'Noise_NNpsk0_25519_ChaChaPoly_SHA256';

/** Bytes of a key, of a public key and of a hash. */
export const KEY_BYTES = 32;
/** Bytes of an authentication tag, by which a ciphertext is longer. */
export const TAG_BYTES = 16;

const CIPHER = 'chacha20-poly1305';

const NOTHING = Buffer.alloc(0);

const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

/** HKDF of Noise (4.3), which is that of RFC 5869 without `info`: keys of 32 bytes. */
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

  /** Left: it was not encrypted with this key as the next message. */
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

/** The state that both sides have in common (5.2). */
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

  /** The keys from and to the initiator. */
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

const sharedSecret = (own: KeyObject, other: Uint8Array): Buffer => {
  const x = Buffer.from(other).toString('base64url');
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'X25519', x } });
  return diffieHellman({ privateKey: own, publicKey });
};

export interface NoiseOptions {
  /** The key that both sides know. */
  readonly key: Uint8Array;
  readonly prologue: Uint8Array;
  /** Private, of X25519; a new one if left out. */
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

/** Mixes a public key in, as handshakes with a pre-shared key do (9.2). */
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
      const answered = state.decryptAndHash(response.subarray(KEY_BYTES));
      if (E.isLeft(answered)) return answered;
      const [sending, receiving] = state.split();
      return E.right({ sending, receiving, handshakeHash: state.handshakeHash, payload: answered.right });
    },
  };
};

/** The side that answers `message` of the other. */
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
  const asked = state.decryptAndHash(message.subarray(KEY_BYTES));
  if (E.isLeft(asked)) return asked;
  const publicKey = rawPublic(ephemeral);
  mixEphemeral(state, publicKey);
  const mixed = mixSecret(state, ephemeral, other);
  if (E.isLeft(mixed)) return mixed;
  const response = Buffer.concat([publicKey, state.encryptAndHash(payload)]);
  const [receiving, sending] = state.split();
  return E.right({
    ...{ sending, receiving, handshakeHash: state.handshakeHash },
    ...{ payload: asked.right, message: response },
  });
};

/** A public key of low order makes a secret of zeros, which Node refuses. */
const mixSecret = (state: SymmetricState, own: KeyObject, other: Uint8Array): Read<void> =>
  E.tryCatch(
    () => state.mixKey(sharedSecret(own, other)),
    () => 'forged',
  );
