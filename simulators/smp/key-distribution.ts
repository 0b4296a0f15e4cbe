/** The keys that both sides send on the encrypted link (Core 5.4 Vol 3 Part H 3.6.1); the responder begins. */
import { SmpCode } from '../ble/smp.js';
import type { DeviceAddress } from '../../src/ble/hci/packets.js';
import { addressText, octetsOf, typeOctet } from '../ble/device-address.js';
import { Key } from './messages.js';

export interface OwnKeys {
  /** The key of legacy pairing; undefined in Secure Connections, where both sides already have it. */
  readonly longTerm:
    { readonly key: Buffer; readonly diversifier: number; readonly random: Buffer } | undefined;
  readonly identity: Buffer;
  readonly address: DeviceAddress;
  readonly signing: Buffer;
}

/** Codes and values, most significant octet first, of the keys in the bits of `distribution`. */
export const ownKeyCommands = (
  distribution: number,
  { longTerm, identity, address, signing }: OwnKeys,
): readonly (readonly [code: number, value: Buffer])[] => {
  const diversifier = Buffer.alloc(2);
  diversifier.writeUInt16BE(longTerm?.diversifier ?? 0);
  return [
    ...((distribution & Key.encryption) !== 0 && longTerm !== undefined
      ? ([
          [SmpCode.encryptionInformation, longTerm.key],
          [SmpCode.centralIdentification, Buffer.concat([longTerm.random, diversifier])],
        ] as const)
      : []),
    ...((distribution & Key.identity) !== 0
      ? ([
          [SmpCode.identityInformation, identity],
          [
            SmpCode.identityAddressInformation,
            Buffer.concat([octetsOf(address.address), Buffer.of(typeOctet(address))]),
          ],
        ] as const)
      : []),
    ...((distribution & Key.signing) !== 0 ? ([[SmpCode.signingInformation, signing]] as const) : []),
  ];
};

/** The keys of the other side, as they arrive. */
export class PeerKeys {
  identity: Buffer | undefined;
  address: DeviceAddress | undefined;
  signing: Buffer | undefined;
  private readonly due: Set<number>;

  constructor(distribution: number, secure: boolean) {
    this.due = new Set([
      ...((distribution & Key.encryption) !== 0 && !secure
        ? [SmpCode.encryptionInformation, SmpCode.centralIdentification]
        : []),
      ...((distribution & Key.identity) !== 0
        ? [SmpCode.identityInformation, SmpCode.identityAddressInformation]
        : []),
      ...((distribution & Key.signing) !== 0 ? [SmpCode.signingInformation] : []),
    ]);
  }

  get complete(): boolean {
    return this.due.size === 0;
  }

  /** False: this key is not due. */
  receive(code: number, value: Buffer): boolean {
    if (!this.due.delete(code)) return false;
    if (code === SmpCode.identityInformation) this.identity = value;
    if (code === SmpCode.signingInformation) this.signing = value;
    if (code === SmpCode.identityAddressInformation) {
      const type = value.readUInt8(6) === 0 ? 'public' : 'random';
      this.address = { address: addressText(value.subarray(0, 6)), type };
    }
    return true;
  }
}
