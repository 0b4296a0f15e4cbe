/** This server's claims of devices on one connection: the sent messages, and their echoes from the broker. */
import { setNewest } from '../async/newest.js';
import type { Address } from '../ble/ports.js';
import type { Cancel } from '../async/time.js';
import type { Claim } from '../contract/index.js';
import { MOST_DEVICES } from './bounded.js';
import { isRetained } from './candidates.js';
import { isSame, LATE_MS, type Peer } from './claims.js';

type Published = Pick<Claim, 'state' | 'seq' | 'epoch'>;

export class OwnClaims {
  /** The devices that this server has or is claiming; the map outlasts a connection. */
  readonly held = new Map<Address, 'claiming' | 'held'>();
  private readonly published = new Map<Address, Published>();
  /** The number of the last echoed message about each device. */
  private readonly echoed = new Map<Address, number>();
  /** The highest epoch seen of each device; the map outlasts a connection, since a broker may forget epochs. */
  private readonly epochs = new Map<Address, number>();
  /** Devices that another server has owned since this server owned them. */
  private readonly overtaken = new Set<Address>();
  /** Withdrawn claims that a broker of a cluster may still retain; undefined after `LATE_MS`. */
  private readonly withdrawn = new Map<Address, Cancel | undefined>();
  private seq = 0;

  constructor(
    private readonly peer: Peer,
    /** Called `LATE_MS` after the withdrawal of a claim. */
    private readonly withdrawnLongAgo: (address: Address) => void,
  ) {}

  /** All devices that this server holds or has published about. */
  get devices(): ReadonlySet<Address> {
    return new Set([...this.held.keys(), ...this.published.keys()]);
  }

  publish(address: Address, state: Claim['state']): void {
    this.withdrawn.get(address)?.();
    this.withdrawn.delete(address);
    const { seq, epoch } = this.next(address, state);
    this.published.set(address, { state, seq, epoch });
    this.note(address, epoch);
    const { self, topics, broker } = this.peer;
    const claim: Claim = { ...self, state, seq, epoch };
    broker.publish(topics.owner(address), JSON.stringify(claim), {
      retain: isRetained(claim),
      replaces: true,
    });
  }

  /** Gives up a device or the claim to it, and publishes that. */
  release(address: Address): void {
    if (!this.held.delete(address)) return;
    const last = this.lastOf(address);
    if (last === 'owned') this.publish(address, 'released');
    if (last === 'claimed') this.withdraw(address);
  }

  receive(address: Address, claim: Claim): void {
    this.note(address, claim.epoch);
    const last = this.published.get(address);
    if (last === undefined) return;
    if (isSame(claim, this.peer.self)) this.echoed.set(address, claim.seq);
    else if (claim.state === 'owned' && claim.epoch >= last.epoch) this.overtaken.add(address);
  }

  /** This server's last message about a device. */
  lastOf(address: Address): Claim['state'] | undefined {
    return this.published.get(address)?.state;
  }

  /** Whether this server's last message about a device is a withdrawal, `LATE_MS` ago or earlier. */
  isWithdrawnLongAgo(address: Address): boolean {
    return this.withdrawn.has(address) && this.withdrawn.get(address) === undefined;
  }

  epochOf(address: Address): number {
    return this.published.get(address)?.epoch ?? 0;
  }

  isEchoPending(address: Address): boolean {
    return (this.published.get(address)?.seq ?? 0) > (this.echoed.get(address) ?? 0);
  }

  clear(): void {
    for (const cancel of this.withdrawn.values()) cancel?.();
    for (const collection of [this.withdrawn, this.published, this.echoed, this.overtaken])
      collection.clear();
  }

  private withdraw(address: Address): void {
    this.publish(address, 'withdrawn');
    const task = (): void => {
      this.withdrawn.set(address, undefined);
      this.withdrawnLongAgo(address);
    };
    this.withdrawn.set(address, this.peer.time.after(LATE_MS, task));
  }

  private next(address: Address, state: Claim['state']): Pick<Published, 'seq' | 'epoch'> {
    this.seq += 1;
    const last = this.published.get(address);
    const isSameEpoch =
      last !== undefined && state !== 'claimed' && last.state !== 'released' && !this.overtaken.has(address);
    if (state === 'claimed' || state === 'owned') this.overtaken.delete(address);
    return { seq: this.seq, epoch: isSameEpoch ? last.epoch : (this.epochs.get(address) ?? 0) + 1 };
  }

  private note(address: Address, epoch: number): void {
    const isKept = (each: Address): boolean => this.held.has(each) || this.published.has(each);
    setNewest(this.epochs, address, Math.max(epoch, this.epochs.get(address) ?? 0), MOST_DEVICES, isKept);
  }
}
