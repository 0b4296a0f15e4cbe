/** Servers without Bluetooth in one process, which run the real code of `src/mqtt` on a real broker. */
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

/** The parent's order: each server connects its own devices, or asks who has a device of another server. */
export type Order = 'connect' | 'ask';

/** The number of servers that found the server which has the device. */
export interface Outcome {
  readonly right: number;
}

const nameOf = (index: number): string => `server-${index}`;

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
    this.fleet = openFleet({ url, prefix: 'airbench', name: nameOf(index) }, { kind: 'dice', ...context });
    this.fleet.join({
      executor: new Executor(context),
      operations: {},
      device: (address) => this.sessions.get(address),
      devices: () => [...this.sessions.values()],
      heard: heardDevices(this.fleet.name, context.time),
      listen: (listener) => {
        const advertise = setInterval(() => {
          for (let neighbour = 0; neighbour < HEARERS; neighbour++)
            for (let die = 0; die < devices; die++)
              listener(this.deviceOf(index + neighbour, devices + die), -50 - neighbour * 10);
        }, ADVERTISING_MS);
        return () => clearInterval(advertise);
      },
    });
  }

  connectOwn(): void {
    for (let die = 0; die < this.devices; die++) {
      const address = this.deviceOf(this.index, die);
      this.sessions.set(address, this.session(address));
      this.fleet.changed(address);
    }
  }

  /** Whether the broker names the neighbour that has a link to one of its devices. */
  async ask(): Promise<boolean> {
    const neighbour = (this.index + 1) % this.servers;
    const address = this.deviceOf(neighbour, this.index % this.devices);
    return (await this.fleet.linkedNeighbour(address)()) === nameOf(neighbour);
  }

  private deviceOf(server: number, die: number): string {
    return addressOf((server % this.servers) * 2 * this.devices + die);
  }

  private session(address: string): MemberDevice {
    return {
      address,
      ...{ isAvailable: true, isLinked: true },
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
    if (order === 'connect') for (const member of members) member.connectOwn();
    const found = order === 'ask' ? await Promise.all(members.map((member) => member.ask())) : [];
    process.send?.({ right: found.filter((isRight) => isRight).length } satisfies Outcome);
  })();
});
process.on('disconnect', () => process.exit());
process.send?.({});
