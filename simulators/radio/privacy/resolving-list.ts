import type { DeviceAddress } from '../medium/pdu.js';
import { PrivateAddress, type PrivacyMedium } from './private-address.js';
import { isMadeWith, isResolvable, sameAddress } from '../../ble/device-address.js';

/** How many devices the list has room for. */
export const RESOLVING_LIST_SIZE = 16;

/** The timeout until the host sets another: 900 s (Core 5.4 Vol 4 Part E 7.8.45). */
const DEFAULT_TIMEOUT_MS = 900_000;

/** The number of addresses remembered, resolved or not; then the list forgets all of them. */
const REMEMBERED = 1024;

/** Network privacy ignores a peer with a key that uses its identity address, device privacy does not (Core 5.4 Vol 6 Part B 4.7). */
export type PrivacyMode = 'network' | 'device';

/** A device of the list. */
export interface ResolvingEntry {
  /** Its identity. */
  readonly peer: DeviceAddress;
  /** The most significant octet first; undefined for a key of zeros. */
  readonly peerIrk: Buffer | undefined;
  /** The controller's private address for the device, and the target address of advertising to it; undefined without a key. */
  readonly local: PrivateAddress | undefined;
  readonly target: PrivateAddress | undefined;
  readonly localIrk: Buffer | undefined;
  mode: PrivacyMode;
  /** The private address with which it was last received. */
  receivedAs: string | undefined;
}

/** The resolving list of one controller (Core 5.4 Vol 6 Part B 4.7). */
export class ResolvingList {
  /** Address resolution is enabled. */
  enabled = false;
  timeoutMs = DEFAULT_TIMEOUT_MS;
  private entries: readonly ResolvingEntry[] = [];
  /** The entries of resolvable addresses; a change of the list clears them. */
  private readonly resolved = new Map<string, ResolvingEntry | undefined>();

  constructor(private readonly medium: PrivacyMedium) {}

  get full(): boolean {
    return this.entries.length >= RESOLVING_LIST_SIZE;
  }

  get empty(): boolean {
    return this.entries.length === 0;
  }

  find(peer: DeviceAddress): ResolvingEntry | undefined {
    return this.entries.find((entry) => sameAddress(entry.peer, peer));
  }

  /** Whether an entry has this key of a peer. */
  hasKey(peerIrk: Buffer): boolean {
    return this.entries.some((entry) => entry.peerIrk?.equals(peerIrk) === true);
  }

  /** Adds a device in network privacy mode. Keys have the most significant octet first; undefined: the device has no key. */
  add(peer: DeviceAddress, peerIrk: Buffer | undefined, localIrk: Buffer | undefined): void {
    const privateAddress = (irk: Buffer | undefined): PrivateAddress | undefined =>
      irk && new PrivateAddress(irk, this.medium, () => this.timeoutMs);
    const [local, target] = [privateAddress(localIrk), privateAddress(peerIrk)];
    const entry = { peer, peerIrk, localIrk, local, target, mode: 'network', receivedAs: undefined } as const;
    this.change([...this.entries, { ...entry }]);
  }

  remove(entry: ResolvingEntry): void {
    this.change(this.entries.filter((other) => other !== entry));
  }

  clear(): void {
    this.change([]);
  }

  reset(): void {
    this.clear();
    this.enabled = false;
    this.timeoutMs = DEFAULT_TIMEOUT_MS;
  }

  /** The device behind a resolvable private address, if address resolution is enabled. */
  resolve(address: DeviceAddress): ResolvingEntry | undefined {
    if (!this.enabled || this.empty || !isResolvable(address)) return undefined;
    const key = address.address;
    if (this.resolved.has(key)) return this.resolved.get(key);
    const entry = this.entries.find(({ peerIrk }) => peerIrk !== undefined && isMadeWith(peerIrk, key));
    if (this.resolved.size >= REMEMBERED) this.resolved.clear();
    this.resolved.set(key, entry);
    return entry;
  }

  /** Whether address resolution is enabled and a private address is made with the local key of any entry. */
  isOwn(address: DeviceAddress): boolean {
    if (!this.enabled || !isResolvable(address)) return false;
    return this.entries.some(
      ({ localIrk }) => localIrk !== undefined && isMadeWith(localIrk, address.address),
    );
  }

  private change(entries: readonly ResolvingEntry[]): void {
    this.entries = entries;
    this.resolved.clear();
  }
}
