/** Commands to the fleet, on a broker that delivers the messages of a topic to all servers in one order, but not at one time. */
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { topicsOf } from '../../src/contract/topics.js';
import type { Message } from '../../src/mqtt/broker.js';
import { Taking, type Fitness } from '../../src/mqtt/taking.js';
import { fakePeer } from '../support/fake-fleet.js';
import { manualTime } from '../support/manual-time.js';

const DEVICE = 'D1:CE:00:00:00:01';
const topics = topicsOf('airbench', 'dice', '');
const TICK_MS = 10;
/** The time until all servers have taken their commands. */
const END_MS = 20_000;

const hearer = (rssi: number): Fitness => ({ _tag: 'Hearer', rssi });
const DEAF: Fitness = { _tag: 'Deaf' };

const connect = (id: number): Message => ({
  topic: `${topics.fleetCommands}/connect`,
  payload: Buffer.from(JSON.stringify({ address: DEVICE, id })),
  retained: false,
});

class World {
  readonly time = manualTime();
  /** The commands that were carried out, each as `SERVER ID`. */
  readonly done: string[] = [];
  private readonly members;

  /** `tripMs`: the time for which the next message is on its way. */
  constructor(
    fitness: readonly Fitness[],
    private readonly random: () => number,
    private readonly tripMs: () => number,
  ) {
    this.members = fitness.map((each, index) => {
      const name = `server-${index}`;
      const inbox: (() => void)[] = [];
      const peer = fakePeer(topics, name, {
        time: this.time,
        publish: (topic, payload) => {
          // A message reaches the broker after a trip, and the order of arrival counts.
          this.time.after(this.tripMs(), () =>
            this.deliver({ topic, payload: Buffer.from(payload), retained: false }),
          );
        },
      });
      const taking = new Taking(peer, {
        fitnessFor: () => each,
        listens: () => true,
        random: this.random,
      });
      return { name, taking, inbox };
    });
  }

  command(id: number): void {
    for (const { name, taking, inbox } of this.members)
      this.later(inbox, () => taking.offer(connect(id), DEVICE, () => this.done.push(`${name} ${id}`)));
  }

  pass(ms: number): void {
    for (let passed = 0; passed < ms; passed += TICK_MS) this.time.advance(TICK_MS);
  }

  private deliver(message: Message): void {
    for (const { taking, inbox } of this.members) this.later(inbox, () => taking.received(message));
  }

  /** Runs `task` after a trip; no message overtakes another on its way to a server. */
  private later(inbox: (() => void)[], task: () => void): void {
    inbox.push(task);
    this.time.after(this.tripMs(), () => inbox.shift()?.());
  }
}

const fitness = fc.oneof(
  fc.constant(DEAF),
  fc.integer({ min: -95, max: -20 }).map((rssi): Fitness => hearer(rssi)),
);

describe('Commands to a fleet', () => {
  it('are each carried out by exactly one server, equal commands too, however long messages take', () => {
    fc.assert(
      fc.property(
        fc.array(fitness, { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 3_000 })), { minLength: 1, maxLength: 6 }),
        fc.infiniteStream(fc.nat({ max: 999 })),
        (members, commands, chance) => {
          const random = (): number => Number(chance.next().value) / 1_000;
          const world = new World(members, random, () => random() * 1_000);
          for (const [id, ms] of commands) {
            world.command(id);
            world.pass(ms);
          }
          world.pass(END_MS);
          const ids = world.done.map((each) => Number(each.split(' ').at(-1)));
          expect(ids).to.have.members(commands.map(([id]) => id));
        },
      ),
      { numRuns: 500 },
    );
  });

  for (const [server, fitness, tripMs, done] of [
    ['the server that hears the device best', [DEAF, hearer(-80), hearer(-50), DEAF], 50, /^server-2 1$/],
    [
      'the owner, even if another server hears the device well',
      [hearer(-31), DEAF, { _tag: 'Owner' }],
      4,
      /^server-2 1$/,
    ],
    ['one of the servers, if none of them hears the device', [DEAF, DEAF, DEAF], 50, /^server-\d 1$/],
  ] as const)
    it(`are carried out by ${server}`, () => {
      const world = new World(
        fitness,
        () => 0,
        () => tripMs,
      );
      world.command(1);
      world.pass(END_MS);
      expect(world.done).to.have.length(1);
      expect(world.done[0]).to.match(done);
    });
});
