/** The keys that a device shares with hosts, for as long as it is in the world. */
import { ah, type LinkAddress } from './crypto.js';

export interface Bond {
  /** The host's identity. */
  readonly host: LinkAddress;
  /** Most significant octet first, as all keys here. */
  readonly longTermKey: Buffer;
  /** By which a host names the key of legacy pairing; 0 in Secure Connections. */
  readonly diversifier: number;
  readonly random: Buffer;
  readonly keySize: number;
  readonly authenticated: boolean;
  readonly secure: boolean;
  /** Resolves the addresses of the host, if it has given it. */
  readonly identityKey: Buffer | undefined;
  /** Checks its signatures, if it has given it. */
  readonly signingKey: Buffer | undefined;
}

const RANDOM = 1;

/** Of resolvable private addresses: the two most significant bits are 01 (Core 5.4 Vol 6 Part B 1.3.2.2). */
const isResolvable = ({ type, octets }: LinkAddress): boolean =>
  type === RANDOM && octets.readUInt8(0) >> 6 === 0b01;

const isSame = (one: LinkAddress, other: LinkAddress): boolean =>
  one.type === other.type && one.octets.equals(other.octets);

const resolves = (key: Buffer, { octets }: LinkAddress): boolean =>
  ah(key, octets.subarray(0, 3)).equals(octets.subarray(3));

export class Bonds {
  private bonds: readonly Bond[] = [];

  get all(): readonly Bond[] {
    return this.bonds;
  }

  /** Of the host that has this address now. */
  of(address: LinkAddress): Bond | undefined {
    return this.bonds.find(
      ({ host, identityKey }) =>
        isSame(host, address) ||
        (identityKey !== undefined && isResolvable(address) && resolves(identityKey, address)),
    );
  }

  /** In the place of an earlier one with the same host. */
  add(bond: Bond): void {
    this.bonds = [...this.bonds.filter(({ host }) => !isSame(host, bond.host)), bond];
  }

  clear(): void {
    this.bonds = [];
  }
}
