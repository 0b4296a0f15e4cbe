/**
 * The cryptographic functions of the Security Manager (Core 5.4 Vol 3 Part H 2.2). Here all values have their most
 * significant octet first, as the specification writes them; the air has the least significant first.
 */
import { createECDH } from 'node:crypto';
import { aes128 } from '../ble/aes.js';
import { octetsOf, typeOctet } from '../ble/device-address.js';
import type { DeviceAddress } from '../../src/ble/hci/packets.js';

const BLOCK = 16;
const ZERO = Buffer.alloc(BLOCK);

const xor = (a: Buffer, b: Buffer): Buffer => Buffer.from(a.map((octet, at) => octet ^ (b[at] ?? 0)));

/** Twice a value in the field of AES-CMAC (RFC 4493 2.3). */
const doubled = (value: Buffer): Buffer => {
  const shifted = Buffer.from(value.map((octet, at) => ((octet << 1) | ((value[at + 1] ?? 0) >> 7)) & 0xff));
  if (((value[0] ?? 0) & 0x80) !== 0) shifted[BLOCK - 1] = (shifted[BLOCK - 1] ?? 0) ^ 0x87;
  return shifted;
};

/** AES-CMAC (2.2.5, RFC 4493). */
export const aesCmac = (key: Buffer, message: Buffer): Buffer => {
  const blocks = Math.max(1, Math.ceil(message.length / BLOCK));
  const last = message.subarray((blocks - 1) * BLOCK);
  const whole = last.length === BLOCK;
  const subkey = doubled(aes128(key, ZERO));
  const padded = whole ? last : Buffer.concat([last, Buffer.from([0x80]), ZERO]).subarray(0, BLOCK);
  let state: Buffer = ZERO;
  for (let at = 0; at < blocks - 1; at += 1) {
    state = aes128(key, xor(state, message.subarray(at * BLOCK, (at + 1) * BLOCK)));
  }
  return aes128(key, xor(state, xor(padded, whole ? subkey : doubled(subkey))));
};

export interface LegacyPairing {
  /** The commands Pairing Request and Pairing Response, seven octets each. */
  readonly request: Buffer;
  readonly response: Buffer;
  readonly initiator: DeviceAddress;
  readonly responder: DeviceAddress;
}

/** The confirm value of legacy pairing (2.2.3). */
export const c1 = (
  key: Buffer,
  random: Buffer,
  { request, response, initiator, responder }: LegacyPairing,
): Buffer => {
  const p1 = Buffer.concat([response, request, Buffer.of(typeOctet(responder), typeOctet(initiator))]);
  const p2 = Buffer.concat([ZERO.subarray(12), octetsOf(initiator.address), octetsOf(responder.address)]);
  return aes128(key, xor(aes128(key, xor(random, p1)), p2));
};

/** The short-term key of legacy pairing, from both random values (2.2.4). */
export const s1 = (key: Buffer, responder: Buffer, initiator: Buffer): Buffer =>
  aes128(key, Buffer.concat([responder.subarray(8), initiator.subarray(8)]));

/** The confirm value of Secure Connections, from the X coordinates of both public keys (2.2.6). */
export const f4 = (u: Buffer, v: Buffer, x: Buffer, z: number): Buffer =>
  aesCmac(x, Buffer.concat([u, v, Buffer.from([z])]));

const F5_SALT = Buffer.from('6C888391AAF5A53860370BDB5A6083BE', 'hex');
const F5_KEY_ID = Buffer.from('62746c65', 'hex');

const typed = (device: DeviceAddress): Buffer =>
  Buffer.concat([Buffer.of(typeOctet(device)), octetsOf(device.address)]);

/** The key of the check values, and the long-term key (2.2.7). */
export const f5 = (
  dhKey: Buffer,
  n1: Buffer,
  n2: Buffer,
  a1: DeviceAddress,
  a2: DeviceAddress,
): { readonly macKey: Buffer; readonly longTermKey: Buffer } => {
  const key = aesCmac(F5_SALT, dhKey);
  const part = (counter: number): Buffer =>
    aesCmac(
      key,
      Buffer.concat([
        Buffer.from([counter]),
        F5_KEY_ID,
        n1,
        n2,
        typed(a1),
        typed(a2),
        Buffer.from([0x01, 0x00]),
      ]),
    );
  return { macKey: part(0), longTermKey: part(1) };
};

/** The check value of Secure Connections; `ioCapability`: authentication requirements, OOB flag, IO capability (2.2.8). */
export const f6 = (
  macKey: Buffer,
  n1: Buffer,
  n2: Buffer,
  r: Buffer,
  ioCapability: Buffer,
  a1: DeviceAddress,
  a2: DeviceAddress,
): Buffer => aesCmac(macKey, Buffer.concat([n1, n2, r, ioCapability, typed(a1), typed(a2)]));

/** The number that both sides show, 0 to 999,999 (2.2.9, 2.3.5.6.4). */
export const g2 = (u: Buffer, v: Buffer, x: Buffer, y: Buffer): number =>
  aesCmac(x, Buffer.concat([u, v, y])).readUInt32BE(12) % 1_000_000;

/** A key pair on P-256; coordinates of 32 octets. */
export interface KeyPair {
  readonly x: Buffer;
  readonly y: Buffer;
  /** The shared secret with the owner of another public key; undefined if that key is not a point of the curve. */
  readonly secretWith: (x: Buffer, y: Buffer) => Buffer | undefined;
}

/** The form octet of a public key with both coordinates. */
const UNCOMPRESSED = Buffer.from([0x04]);
const COORDINATE = 32;

/** A new key pair, or the pair with `privateKey`. */
export const keyPair = (privateKey?: Buffer): KeyPair => {
  const ecdh = createECDH('prime256v1');
  if (privateKey === undefined) ecdh.generateKeys();
  else ecdh.setPrivateKey(privateKey);
  const publicKey = ecdh.getPublicKey();
  return {
    x: publicKey.subarray(1, 1 + COORDINATE),
    y: publicKey.subarray(1 + COORDINATE),
    secretWith: (x, y) => {
      try {
        return ecdh.computeSecret(Buffer.concat([UNCOMPRESSED, x, y]));
      } catch {
        return undefined;
      }
    },
  };
};
