/** The common part of both ways of pairing, from Pairing Response to the key that encrypts the link. */
import type { DeviceAddress } from '../../src/ble/hci/packets.js';
import type { Method, PairingFeatures } from './messages.js';

/** An attempt to pair. All values have their most significant octet first. */
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
  /** Calls `use` with the passkey once it is known, with 0 for methods without a passkey. */
  readonly withPasskey: (use: (passkey: number) => void) => void;
  /** Calls `confirmed` once a person has confirmed that both sides show this number. */
  readonly compare: (number: number, confirmed: () => void) => void;
  /** Receives the key with which the central will encrypt the link. */
  readonly agreed: (key: Buffer) => void;
}

export interface Exchange {
  /** Takes a command of the right length; `value`: the octets after the code. False: the command is not due. */
  receive(code: number, value: Buffer): boolean;
}

/** A passkey as a key of 128 bits. */
export const passkeyValue = (passkey: number): Buffer => {
  const value = Buffer.alloc(16);
  value.writeUInt32BE(passkey, 12);
  return value;
};
