/** Servers of a fleet without Bluetooth in one process, which run the real code of `src/mqtt` on a real broker. */
import * as E from 'fp-ts/lib/Either.js';
import { systemTime } from '../../src/async/time.js';
import { openMetrics } from '../../src/metrics/metrics.js';
import type { Fleet, MemberDevice } from '../../src/mqtt/index.js';
import { openFleet } from '../../src/mqtt/open-fleet.js';
import { Executor } from '../../src/operations/index.js';
import { heardDevices, NO_HOME_ASSISTANT } from '../support/fake-fleet.js';
import { silent } from '../support/log.js';
import { addressOf } from './servers.js';

/** The time between two advertisements of a die, ms. */
const ADVERTISING_MS = 1_000;
/** The number of servers that hear the dice of one server. */
const HEARERS = 3;

/** The parent's order: each server claims its own devices, or a device of another server. */
export type Order = 'claim' | 'intrude';

/** The number of claims with each outcome. */
export type Outcomes = Readonly<Record<string, number>>;

/** A server has a link to the first half of its devices, and hears the other half and its neighbours' devices. */
class Member {
  private readonly fleet: Fleet;
  private readonly sessions = new Map<string, MemberDevice>();

  constructor(
    url: URL,
    private readonly index: number,
    private readonly servers: number,
    private readonly devices: number,
    context: ConstructorParameters<typeof Executor>[0],
  ) {
    this.fleet = openFleet(
      { url, prefix: 'airbench', name: `server-${index}` },
      { kind: 'dice', ...context },
    );
    this.fleet.join({
      executor: new Executor(context),
      operations: {},
      device: (address) => this.sessions.get(address),
      devices: () => [...this.sessions.values()],
      heard: heardDevices(this.fleet.name, context.time),
      roamer: {
        listen: (listener) => {
          const advertise = setInterval(() => {
            for (let neighbour = 0; neighbour < HEARERS; neighbour++)
              for (let die = 0; die < devices; die++)
                listener(this.deviceOf(index + neighbour, devices + die), -50 - neighbour * 10);
          }, ADVERTISING_MS);
          return () => clearInterval(advertise);
        },
        handOver: () => Promise.resolve(undefined),
        takeOver: () => undefined,
      },
    });
  }

  async claimOwn(): Promise<readonly string[]> {
    return Promise.all(
      Array.from({ length: this.devices }, async (_, die) => {
        const address = this.deviceOf(this.index, die);
        const outcome = await this.claim(address);
        if (outcome === 'granted') this.sessions.set(address, this.session(address));
        this.fleet.changed(address);
        return outcome;
      }),
    );
  }

  /** Claims a device to which another server has a link. */
  intrude(): Promise<string> {
    return this.claim(this.deviceOf(this.index + 1, this.index % this.devices));
  }

  private async claim(address: string): Promise<string> {
    const claim = await this.fleet.ownership.claim(address, new AbortController().signal)();
    return E.isRight(claim) ? 'granted' : claim.left._tag;
  }

  private deviceOf(server: number, die: number): string {
    return addressOf((server % this.servers) * 2 * this.devices + die);
  }

  private session(address: string): MemberDevice {
    return {
      address,
      isConnected: true,
      state: () => ({ address, name: `GoDice_${address.slice(-5)}`, battery_level: 100, rssi: -60, face: 5 }),
      identity: { address },
      homeAssistant: NO_HOME_ASSISTANT,
    };
  }
}

const [broker = '', ...numbers] = process.argv.slice(2);
const [first = 0, count = 0, servers = 0, devices = 0] = numbers.map(Number);
const metrics = openMetrics('dice');
const context = { time: systemTime, log: silent, metrics, requestsPerMinute: 0 };
const members = Array.from(
  { length: count },
  (_, index) => new Member(new URL(broker), first + index, servers, devices, context),
);

process.on('message', (order: Order) => {
  void (async () => {
    const outcomes = await Promise.all(
      members.map((member) => (order === 'claim' ? member.claimOwn() : member.intrude())),
    );
    const counted: Record<string, number> = {};
    for (const outcome of outcomes.flat()) counted[outcome] = (counted[outcome] ?? 0) + 1;
    process.send?.(counted);
  })();
});
process.on('disconnect', () => process.exit());
process.send?.({});
