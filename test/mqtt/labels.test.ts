import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { setImmediate as turn } from 'node:timers/promises';
import { topicsOf } from '../../src/contract/topics.js';
import { DEVICE, FakeMember, historiesOf } from '../support/fake-fleet.js';
import { FakeWorld } from '../support/fake-world.js';

const NAMES = ['one', 'two', 'three'];
const TOPIC = topicsOf('airbench', 'dice', '').label(DEVICE);
const LATER_MS = 60_000;

const labelOf = ({ heard }: FakeMember): string | null => heard.labels.of(DEVICE);

const set = ({ heard }: FakeMember, label: string | null): void => heard.labels.set(DEVICE, label);

class World extends FakeWorld {
  /** The label of the device on each server. */
  get labels(): readonly (string | null)[] {
    return this.members.map(labelOf);
  }

  get retained(): unknown {
    return JSON.parse(this.broker.retainedOn(TOPIC) ?? 'null') as unknown;
  }

  /** Another client of the broker publishes a label. */
  async publish(payload: string): Promise<void> {
    this.broker.publish({ topic: TOPIC, payload: Buffer.from(payload), retain: true });
    await this.settle();
  }
}

/** Servers on a broker that have all heard the device. */
const started = async (names: readonly string[] = ['one', 'two']) => {
  const world = new World(names);
  await turn();
  for (const member of world.members) {
    member.connect();
    member.heard.seen(DEVICE);
  }
  await world.settle();
  return { world, one: world.memberOf(0), two: world.memberOf(1) };
};

describe('Labels of a fleet', () => {
  it('are retained with their time and server, and reach all servers', async () => {
    const { world, one } = await started(NAMES);
    const time = world.broker.time.date().toISOString();
    set(one, 'Red one');
    await world.settle();
    expect(world.labels).to.deep.equal(['Red one', 'Red one', 'Red one']);
    expect(world.retained).to.deep.equal({ label: 'Red one', time, name: 'one' });
  });

  it('reach a server once it hears the device', async () => {
    const world = new World(['one', 'two']);
    await turn();
    const [one, two] = [world.memberOf(0), world.memberOf(1)];
    for (const member of world.members) member.connect();
    set(one, 'Red one');
    await world.settle();
    expect(world.labels).to.deep.equal(['Red one', null]);
    two.heard.seen(DEVICE);
    await world.settle();
    expect(world.labels).to.deep.equal(['Red one', 'Red one']);
  });

  it('stay when a server learns an earlier one while it connects', async () => {
    const { world, one } = await started();
    const three = new FakeMember(world.broker, 'three', 'three-0');
    world.members.push(three);
    await turn();
    const earlier = { label: 'Old', time: world.broker.time.date(), name: 'three' };
    world.broker.time.advance(LATER_MS);
    set(one, 'New');
    await world.settle();
    for (const member of world.members) member.cut();
    three.connect();
    three.heard.labels.take(DEVICE, earlier);
    await world.settle();
    expect(labelOf(three)).to.equal('New');
    expect(world.retained).to.include({ label: 'New' });
  });

  it('are those of the server with the greater name at equal times', async () => {
    const { world, one, two } = await started();
    for (const member of [two, one]) set(member, `of ${member.name}`);
    await world.settle();
    expect(world.labels).to.deep.equal(['of two', 'of two']);
    expect(world.retained).to.include({ label: 'of two', name: 'two' });
  });

  it('replace earlier ones, and give way to later ones, when their server reconnects', async () => {
    const { world, one, two } = await started();
    for (const [early, late] of [
      [one, two],
      [two, one],
    ] as const) {
      one.cut();
      set(early, `early, of ${early.name}`);
      world.broker.time.advance(LATER_MS);
      set(late, `late, of ${late.name}`);
      one.connect();
      await world.settle();
      const label = `late, of ${late.name}`;
      expect(world.labels).to.deep.equal([label, label]);
      expect(world.retained).to.include({ label });
    }
  });

  it('replace those that their server knows, although its clock is behind', async () => {
    const { world, one } = await started();
    const time = new Date(world.broker.time.date().getTime() + LATER_MS).toISOString();
    await world.publish(JSON.stringify({ label: 'From the future', time, name: 'two' }));
    set(one, 'Red one');
    await world.settle();
    expect(world.labels).to.deep.equal(['Red one', 'Red one']);
  });

  it('are the same everywhere after the last possible time', async () => {
    const { world, one } = await started();
    await world.publish(JSON.stringify({ label: 'Last', time: '9998-12-31T23:59:59.999Z', name: 'one' }));
    set(one, 'Later');
    await world.settle();
    expect(world.labels).to.deep.equal(['Later', 'Later']);
  });

  it('replace one of the year 9999, which is no label', async () => {
    const { world, one } = await started();
    await world.publish(JSON.stringify({ label: 'Last', time: '9999-01-01T00:00:00Z', name: 'two' }));
    expect(world.labels).to.deep.equal([null, null]);
    set(one, 'Red one');
    await world.settle();
    expect(world.labels).to.deep.equal(['Red one', 'Red one']);
    expect(world.retained).to.include({ label: 'Red one' });
  });

  it('stay removed when a server reconnects that was away at their removal', async () => {
    const { world, one, two } = await started();
    set(one, 'Red one');
    await world.settle();
    one.cut();
    world.broker.time.advance(LATER_MS);
    two.heard.forget(DEVICE);
    await world.settle();
    expect(world.retained).to.include({ label: null, name: 'two' });
    one.connect();
    await world.settle();
    expect(world.labels).to.deep.equal([null, null]);
  });

  it('disappear from the fleet when a server reconnects after their removal', async () => {
    const { world, one, two } = await started();
    set(one, 'Red one');
    await world.settle();
    one.cut();
    world.broker.time.advance(LATER_MS);
    one.heard.forget(DEVICE);
    one.connect();
    await world.settle();
    expect(labelOf(two)).to.equal(null);
    expect(world.retained).to.include({ label: null, name: 'one' });
  });

  it('disappear with their message, which no server publishes again', async () => {
    const { world, one } = await started(NAMES);
    const away = world.memberOf(2);
    set(one, 'Red one');
    await world.settle();
    away.cut();
    await world.publish('');
    expect(world.labels).to.deep.equal([null, null, 'Red one']);
    expect(world.broker.retainedOn(TOPIC)).to.equal(undefined);
    away.connect();
    await world.settle();
    expect(world.labels).to.deep.equal([null, null, null]);
  });

  for (const [problem, fields] of [
    ['null', null],
    ['a label of 61 characters', { label: 'x'.repeat(61) }],
    ['an empty label', { label: '' }],
    ['a control character', { label: 'Red\u0007' }],
    ['a time without an offset', { time: '2126-01-01T00:00:00' }],
    ['a label without a server', { name: undefined }],
    ['too many bytes', { name: 'x'.repeat(2_048) }],
  ] as const) {
    it(`are not replaced by ${problem}, which goes at the next connection`, async () => {
      const { world, one } = await started();
      set(one, 'Red one');
      await world.settle();
      const { retained } = world;
      const right = { label: 'Blue one', time: '2126-01-01T00:00:00Z', name: 'two' };
      await world.publish(JSON.stringify(fields && { ...right, ...fields }));
      expect(world.labels).to.deep.equal(['Red one', 'Red one']);
      one.cut();
      one.connect();
      await world.settle();
      expect(world.retained).to.deep.equal(retained);
    });
  }

  it('are the same everywhere after any history', async () => {
    const actions = ['label', 'remove', 'forget', 'send', 'receive', 'cut', 'connect', 'wait'] as const;
    const history = fc.array(fc.tuple(fc.nat({ max: 2 }), fc.constantFrom(...actions)), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const { world } = await started(NAMES);
        for (const [step, [index, action]] of steps.entries()) {
          const member = world.memberOf(index);
          if (action === 'label') set(member, `label ${step}`);
          else if (action === 'remove') set(member, null);
          else if (action === 'forget') member.heard.forget(DEVICE);
          else if (action === 'wait') world.broker.time.advance(1);
          else member[action]();
          await turn();
        }
        for (const member of world.members) member.connect();
        await world.settle();
        const [first] = world.labels;
        expect(world.labels).to.deep.equal([first, first, first]);
        expect((world.retained as { readonly label: unknown } | null)?.label ?? null).to.equal(first);
        world.close();
      }),
      { numRuns: historiesOf(60) },
    );
  });
});
