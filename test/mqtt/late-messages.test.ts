/** Servers whose messages take their time and are lost with connections, on a broker that restarts. */
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { GHOST_MS, JOIN_MS } from '../../src/mqtt/joining.js';
import { DEVICE, FakeBroker, FakeMember } from '../support/fake-fleet.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Histories in a run: `AIRBENCH_HISTORIES=200000` for a long one. */
const HISTORIES = Number(process.env['AIRBENCH_HISTORIES'] ?? 200);
const TICK_MS = 500;
/** The longest that a message is under way to the broker, or from it, ms. */
const TRIP_MS = 10_000;
/** Joining takes four trips and an open claim, a claim two (docs/fleet.md). */
const BOTH_HOLD_MS = 6 * TRIP_MS + 6_000;
/** Until ghosts are declared offline and all has arrived. */
const END_MS = JOIN_MS + GHOST_MS + 12 * TRIP_MS;

const NAMES = ['one', 'two', 'three'];
const ACTIONS = [
  ...['claim', 'link', 'unlink', 'release', 'connect', 'will'],
  ...['cut', 'kill', 'stop', 'broker restarts', 'broker forgets'],
] as const;

class World {
  readonly broker = new FakeBroker();
  readonly members = NAMES.map((name) => new FakeMember(this.broker, name, `${name}-0`));
  private readonly due = new WeakMap<object, number>();
  private readonly last = new WeakMap<readonly object[], number>();
  private bothSince: number | undefined;
  private linked: FakeMember | undefined;
  private runs = 0;

  constructor(private readonly random: () => number) {}

  act(index: number, action: string): void {
    const member = this.members[index];
    if (member === undefined) throw new Error(`there is no server ${index}`);
    if (action === 'claim') void member.claim();
    else if (action === 'link') member.link();
    else if (action === 'unlink') member.unlink();
    else if (action === 'release') member.release();
    else if (action === 'connect') member.connect();
    else if (action === 'will') this.broker.publishWill();
    else if (action === 'cut') member.cut();
    else if (action === 'kill' || action === 'stop') {
      if (action === 'stop') member.stop();
      else member.die();
      this.runs += 1;
      this.members[index] = new FakeMember(this.broker, member.name, `${member.name}-${this.runs}`);
    } else {
      for (const each of this.members) each.cut();
      this.broker.wills.length = 0;
      if (action === 'broker forgets') this.broker.retained.clear();
    }
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

  /** Whether the first message of a queue has arrived: none overtakes another. */
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
    const holders = this.members.filter(({ holds, isOnline }) => holds && isOnline);
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

describe('The servers of a fleet whose messages take up to ten seconds each way', () => {
  it('never have a device twice for long, and agree with what is retained in the end', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.infiniteStream(fc.nat({ max: 999 })), async (script, chance) => {
        const world = new World(() => Number(chance.next().value) / 1_000);
        for (const member of world.members) member.connect();
        for (const [index, action, ticks] of script) {
          world.act(index, action);
          await world.pass(ticks * TICK_MS);
        }
        const { broker, members } = world;
        for (const member of members) member.connect();
        while (broker.wills.length > 0) broker.publishWill();
        await world.pass(END_MS);
        const holders = members.filter(({ holds }) => holds).map(({ name }) => name);
        expect(holders.length, `holders ${holders.join(', ')}`).to.be.at.most(1);
        if (broker.linked !== undefined) expect(holders).to.deep.equal([broker.linked.name]);
        for (const { name, owner } of members)
          expect(owner, `the owner of ${DEVICE} as ${name} knows`).to.equal(holders[0]);
        expect(broker.retainedOwner, 'the owner that is retained').to.equal(holders[0]);
        for (const { name } of members)
          expect(broker.retained.get(`airbench/dice/servers/${name}`)?.payload.toString()).to.include(
            '"online"',
          );
      }),
      { numRuns: HISTORIES },
    );
  });
});
