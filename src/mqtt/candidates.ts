/** The possible owners of all devices, as far as a server knows that has not heard all messages. */
import type { Address } from '../ble/ports.js';
import { MOST_DEVICES, setNewest } from './bounded.js';
import { ANYONE, distinct, isSame, nextCandidates, type Candidate, type Identity } from './claims.js';
import type { Claim } from '../contract/index.js';

/** An owner that is known for certain; undefined: there is none. */
export interface KnownOwner {
  readonly owner: Identity | undefined;
}

export class Candidates {
  private readonly devices = new Map<Address, readonly Candidate[]>();
  /** Whether all that others owned when this server came is known: a device that nobody has named has no owner then. */
  private isWhole = false;

  /** `isValid`: a server is online, on this connection. The oldest devices are forgotten unless they are kept. */
  constructor(
    private readonly isValid: (server: Identity) => boolean,
    private readonly isKept: (address: Address) => boolean,
  ) {}

  /** The owner of a device, unless there are several that may be it. */
  ownerOf(address: Address): KnownOwner | undefined {
    const [owner, ...others] = this.distinctOf(address);
    return others.length > 0 || owner === 'anyone' ? undefined : { owner };
  }

  /** Whether it is either nobody or `server` that owns a device, and no message will tell which. */
  isOpenTo(address: Address, server: Identity): boolean {
    const candidates = this.distinctOf(address);
    return (
      candidates.length > 1 &&
      candidates.every(
        (candidate) =>
          candidate === undefined || (typeof candidate === 'object' && isSame(candidate, server)),
      )
    );
  }

  /** Takes a message on the topic of a device. */
  receive(address: Address, claim: Claim): void {
    this.set(address, nextCandidates(this.of(address), claim, this.isValid));
  }

  /** Takes what a server owns, as it tells: of devices of which nobody else has said so since. */
  receiveOwned(sender: Identity, addresses: readonly Address[]): void {
    const owned = new Set(addresses);
    for (const [address, candidates] of this.devices)
      if (candidates.length > 1 && !owned.has(address))
        this.ruleOut(address, (candidate) => typeof candidate === 'object' && isSame(candidate, sender));
    for (const address of owned) if (this.ownerOf(address)?.owner === undefined) this.set(address, [sender]);
  }

  /** All have told what they own, but for the servers of `unsettled`: each may own that device. */
  complete(unsettled: Iterable<readonly [Address, Identity]>): void {
    for (const address of this.devices.keys()) this.ruleOut(address, (candidate) => candidate === 'anyone');
    this.isWhole = true;
    for (const [address, { name, instance }] of unsettled)
      this.set(address, distinct([...this.of(address), { name, instance }]));
  }

  clear(): void {
    this.devices.clear();
    this.isWhole = false;
  }

  private of(address: Address): readonly Candidate[] {
    return this.devices.get(address) ?? (this.isWhole ? [undefined] : ANYONE);
  }

  private distinctOf(address: Address): readonly Candidate[] {
    return distinct(
      this.of(address).map((candidate) =>
        typeof candidate === 'object' && !this.isValid(candidate) ? undefined : candidate,
      ),
    );
  }

  private set(address: Address, candidates: readonly Candidate[]): void {
    setNewest(this.devices, address, candidates, MOST_DEVICES, this.isKept);
  }

  /** Nobody owns a device if none that may is left. Its place among the newest stays. */
  private ruleOut(address: Address, isOut: (candidate: Candidate) => boolean): void {
    const left = this.of(address).filter((candidate) => !isOut(candidate));
    this.devices.set(address, left.length === 0 ? [undefined] : left);
  }
}
