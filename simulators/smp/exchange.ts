/** The common part of both ways of pairing, from Pairing Response to the key that encrypts the link. */
import type { DeviceAddress } from '../../src/ble/hci/packets.js';
import type { Method, PairingFeatures } from './messages.js';

/** One attempt to pair, as its exchange needs it. All values have their most significant octet first. */
export interface Attempt {
  readonly method: Method;
  readonly request: Buffer;
  readonly response: Buffer;
  readonly initiator: DeviceAddress;
  readonly responder: DeviceAddress;
  readonly features: { readonly initiator: PairingFeatures; readonly responder: PairingFeatures };
  readonly random: (octets: number) => Buffer;
  readonly send: (code: number, value: Buffer) => void;
  readonly fail: (reason: number) => void;
  /** Calls back with the passkey once it is known, 0 for methods without one. */
  readonly withPasskey: (known: (passkey: number) => void) => void;
  /** Calls back once a person has confirmed that both sides show this number. */
  readonly compare: (number: number, confirmed: () => void) => void;
  /** The key that the central will encrypt the link with. */
  readonly agreed: (key: Buffer) => void;
}

export interface Exchange {
  /** A command whose length is right; `value` is what follows the code. False: it is not due. */
  receive(code: number, value: Buffer): boolean;
}

/** A passkey as a key of 128 bits. */
export const passkeyValue = (passkey: number): Buffer => {
  const value = Buffer.alloc(16);
  value.writeUInt32BE(passkey, 12);
  return value;
};
