/** The messages of this server about devices, on one connection: those that it has sent, and those that have come back. */
import type { Address } from '../ble/ports.js';
import type { Claim } from '../contract/index.js';
import { MOST_DEVICES, setNewest } from './bounded.js';
import { isRetained, isSame, type Identity } from './claims.js';

interface Published {
  readonly state: Claim['state'];
  readonly seq: number;
}

export class OwnClaims {
  /** The devices that this server has, or `claiming`, wants. They outlast a connection. */
  readonly held = new Map<Address, 'claiming' | 'held'>();
  private readonly published = new Map<Address, Published>();
  /** The number of the last message that has come back. */
  private readonly echoed = new Map<Address, number>();
  /** The retained message of a device, of any sender. */
  private readonly retained = new Map<Address, Claim>();
  private seq = 0;

  constructor(
    private readonly self: () => Identity,
    private readonly send: (address: Address, claim: Claim, retain: boolean) => void,
  ) {}

  /** All devices about which this server has something to say. */
  get devices(): ReadonlySet<Address> {
    return new Set([...this.held.keys(), ...this.published.keys()]);
  }

  publish(address: Address, state: Claim['state']): void {
    this.seq += 1;
    this.published.set(address, { state, seq: this.seq });
    this.send(address, { ...this.self(), state, seq: this.seq }, isRetained(state));
  }

  /** Gives a device back, and says so if others know that this server has or wants it. */
  release(address: Address): void {
    const last = this.lastOf(address);
    if (this.held.delete(address) && last !== undefined)
      this.publish(address, last === 'owned' ? 'released' : 'withdrawn');
  }

  receive(address: Address, claim: Claim): void {
    if (isSame(claim, this.self()) && this.published.has(address)) this.echoed.set(address, claim.seq);
  }

  receiveRetained(address: Address, claim: Claim): void {
    const isKept = (known: Address): boolean => this.held.has(known) || this.published.has(known);
    if (isRetained(claim.state)) setNewest(this.retained, address, claim, MOST_DEVICES, isKept);
  }

  /** This server's last message about a device. */
  lastOf(address: Address): Claim['state'] | undefined {
    return this.published.get(address)?.state;
  }

  isEchoPending(address: Address): boolean {
    return (this.published.get(address)?.seq ?? 0) > (this.echoed.get(address) ?? 0);
  }

  /** Whether a claim is neither won nor given up. */
  get isOpen(): boolean {
    return [...this.published.values()].some(({ state }) => state === 'claimed');
  }

  /** Whether all who look take this server for the owner of a device. */
  isRetainedOwn(address: Address): boolean {
    const last = this.retained.get(address);
    return last?.state === 'owned' && isSame(last, this.self());
  }

  /** The devices that are retained as owned by one of these servers. */
  retainedOf(servers: readonly Identity[]): readonly (readonly [Address, Identity])[] {
    return [...this.retained].filter(
      ([, claim]) => claim.state === 'owned' && servers.some((server) => isSame(server, claim)),
    );
  }

  clear(): void {
    for (const one of [this.published, this.echoed, this.retained]) one.clear();
  }
}
