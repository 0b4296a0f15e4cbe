/** Servers whose messages take their time and are lost with connections, on a broker that restarts. */
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { setImmediate as turn } from 'node:timers/promises';
import { UNSEEN_MS } from '../../src/mqtt/device-views.js';
import { GHOST_MS } from '../../src/mqtt/presence.js';
import { DEVICE, FakeWorld, historiesOf, type FakeMember } from '../support/fake-fleet.js';

const TICK_MS = 500;
/** The longest time for which a message is on its way to the broker, or from it, ms. */
const TRIP_MS = 10_000;
/** Two trips each for joining, for a message, for the other server's status and for a message under way (docs/fleet.md). */
const BOTH_HOLD_MS = 8 * TRIP_MS + 6_000;
/** The time until ghosts are declared offline and all messages have arrived, ms. */
const END_MS = GHOST_MS + UNSEEN_MS + 20 * TRIP_MS;

const NAMES = ['one', 'two', 'three', 'four', 'five'];
const FEWEST = 3;
const ACTIONS = [
  ...['hear', 'claim', 'link', 'unlink', 'release', 'connect', 'will'],
  ...['cut', 'kill', 'stop', 'broker restarts', 'broker forgets'],
] as const;

class World extends FakeWorld {
  private readonly due = new WeakMap<object, number>();
  private readonly last = new WeakMap<readonly object[], number>();
  private bothSince: number | undefined;
  private linked: FakeMember | undefined;

  constructor(
    servers: number,
    private readonly random: () => number,
  ) {
    super(NAMES.slice(0, servers));
  }

  act(index: number, action: (typeof ACTIONS)[number]): void {
    const at = index % this.members.length;
    if (action === 'will') this.broker.publishWill();
    else if (action === 'kill' || action === 'stop') this.restart(at, action === 'stop' ? 'stop' : 'die');
    else if (action === 'broker restarts' || action === 'broker forgets') {
      for (const member of this.members) member.cut();
      // A broker that restarts publishes no last wills.
      this.broker.wills.length = 0;
      if (action === 'broker forgets') this.broker.retained.clear();
    } else void this.memberOf(at)[action]();
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += TICK_MS) {
      this.broker.time.advance(TICK_MS);
      await turn();
      for (const member of this.members) {
        while (this.isDue(member.outbox)) member.send();
        while (this.isDue(member.inbox)) member.receive();
      }
      await turn();
      this.checkHolders();
    }
  }

  /** Whether the first message of a queue has arrived: no message overtakes another. */
  private isDue(queue: readonly object[]): boolean {
    const now = this.broker.time.now();
    for (const message of queue)
      if (!this.due.has(message)) {
        const at = Math.max(this.last.get(queue) ?? 0, now + this.random() * TRIP_MS);
        this.due.set(message, at);
        this.last.set(queue, at);
      }
    const [first] = queue;
    return first !== undefined && (this.due.get(first) ?? 0) <= now;
  }

  private checkHolders(): void {
    const now = this.broker.time.now();
    const holders = this.holders.filter(({ isOnline }) => isOnline);
    if (holders.length < 2 || this.linked !== this.broker.linked) this.bothSince = undefined;
    else this.bothSince ??= now;
    this.linked = this.broker.linked;
    expect(now - (this.bothSince ?? now), 'two hold the device, ms').to.be.at.most(BOTH_HOLD_MS);
  }
}

const steps = fc.array(
  fc.tuple(fc.nat({ max: NAMES.length - 1 }), fc.constantFrom(...ACTIONS), fc.nat({ max: 24 })),
  { minLength: 5, maxLength: 30, size: 'max' },
);

/** The retained messages, compared with the truth. */
const expectTruth = ({ broker, members, holders }: World): void => {
  expect(holders.length, `holders ${holders.map(({ name }) => name).join(', ')}`).to.be.at.most(1);
  const [holder] = holders;
  if (broker.linked !== undefined) expect(holder).to.equal(broker.linked);
  for (const { name, owner } of members)
    expect(owner, `the owner of ${DEVICE} as ${name} knows`).to.equal(holder?.name);
  const { owner, epoch, state, availability } = broker.retainedDevice;
  expect(owner, 'the retained owner').to.equal(holder?.name);
  const hasSession = holder?.part === 'session';
  expect(state, 'the retained state').to.deep.equal(hasSession ? { server: holder.run, epoch } : null);
  expect(availability, 'the retained availability').to.equal(
    broker.linked === undefined ? 'offline' : 'online',
  );
  for (const { name } of members) expect(broker.statusOf(name)).to.include('"online"');
};

describe('The servers of a fleet whose messages take up to ten seconds each way', () => {
  it('never have a device twice for long, and the last retained messages are true', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: FEWEST, max: NAMES.length }),
        steps,
        fc.infiniteStream(fc.nat({ max: 999 })),
        async (servers, script, chance) => {
          const world = new World(servers, () => Number(chance.next().value) / 1_000);
          for (const member of world.members) member.connect();
          for (const [index, action, ticks] of script) {
            world.act(index, action);
            await world.pass(ticks * TICK_MS);
          }
          for (const member of world.members) member.connect();
          while (world.broker.wills.length > 0) world.broker.publishWill();
          for (const member of world.members) member.hear();
          await world.pass(END_MS);
          // The retained messages of a lost owner stay until the next server has a session, or gives up.
          for (const member of world.members) if (member.part === 'attempt') member.release();
          await world.pass(END_MS);
          expectTruth(world);
          world.close();
        },
      ),
      { numRuns: historiesOf(200) },
    );
  });
});
