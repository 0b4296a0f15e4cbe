/** The keys that a device shares with hosts, for as long as it is in the world. */
import { isMadeWith, isResolvable, sameAddress } from '../ble/device-address.js';
import type { DeviceAddress } from '../../src/ble/hci/packets.js';

export interface Bond {
  /** The host's identity. */
  readonly host: DeviceAddress;
  /** Most significant octet first, like all keys here. */
  readonly longTermKey: Buffer;
  /** The name of the key of legacy pairing, with `random`; 0 in Secure Connections. */
  readonly diversifier: number;
  readonly random: Buffer;
  readonly keySize: number;
  readonly authenticated: boolean;
  readonly secure: boolean;
  /** Resolves the addresses of the host, if the host has sent the key. */
  readonly identityKey: Buffer | undefined;
  /** Checks the signatures of the host, if the host has sent the key. */
  readonly signingKey: Buffer | undefined;
}

export class Bonds {
  private bonds: readonly Bond[] = [];

  get all(): readonly Bond[] {
    return this.bonds;
  }

  /** The bond of the host that has this address now. */
  of(address: DeviceAddress): Bond | undefined {
    return this.bonds.find(
      ({ host, identityKey }) =>
        sameAddress(host, address) ||
        (identityKey !== undefined && isResolvable(address) && isMadeWith(identityKey, address.address)),
    );
  }

  /** Replaces an earlier bond with the same host. */
  add(bond: Bond): void {
    this.bonds = [...this.bonds.filter(({ host }) => !sameAddress(host, bond.host)), bond];
  }

  clear(): void {
    this.bonds = [];
  }
}
