import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { setImmediate as turn } from 'node:timers/promises';
import { topicsOf } from '../../src/contract/topics.js';
import { LATE_MS } from '../../src/mqtt/claims.js';
import { GHOST_MS } from '../../src/mqtt/presence.js';
import { DEVICE, FakeMember, historiesOf } from '../support/fake-fleet.js';
import { FakeWorld, type MemberAction } from '../support/fake-world.js';

const ACTIONS = ['hear', 'claim', 'link', 'unlink', 'release', 'send', 'receive', 'restart'] as const;
const LATE = [...ACTIONS, 'will', 'cut', 'connect'] as const;
type Action = MemberAction | 'restart' | 'will';

class World extends FakeWorld {
  constructor() {
    super(['one', 'two', 'three']);
  }

  async step(index: number, action: Action): Promise<void> {
    if (action === 'will') this.broker.publishWill();
    else if (action === 'restart') this.restart(index);
    else void this.memberOf(index)[action]();
    await turn();
  }

  /** Has servers claim the device at once, and delivers all messages. */
  async claim(...members: readonly FakeMember[]): Promise<void> {
    for (const member of members) void member.claim();
    await turn();
    await this.settle();
  }

  get names(): readonly string[] {
    return this.holders.map(({ name }) => name);
  }
}

/** Connects all servers to the broker; with `hears`, they hear the device. */
const started = async (hears = true) => {
  const world = new World();
  for (const member of world.members) {
    member.connect();
    if (hears) member.hear();
  }
  await world.settle();
  return { world, one: world.memberOf(0), two: world.memberOf(1), three: world.memberOf(2) };
};

/** Steps of a history, most of which move a message. */
const steps = (actions: readonly Action[]) =>
  fc.array(
    fc.tuple(
      fc.nat({ max: 2 }),
      fc.oneof(
        ...actions.map((action) => ({
          arbitrary: fc.constant(action),
          weight: action === 'send' || action === 'receive' ? 4 : 1,
        })),
      ),
    ),
    { minLength: 20, maxLength: 120, size: 'max' },
  );

/** Checks that all servers, and a new one, know the same owner once all messages have arrived. */
const expectOneOwner = async (world: World): Promise<void> => {
  for (const member of world.members) member.connect();
  await world.settle();
  const { names: holders, broker } = world;
  expect(holders.length, `holders ${holders.join(', ')}`).to.be.at.most(1);
  if (broker.linked !== undefined) expect(holders).to.deep.equal([broker.linked.name]);
  const late = new FakeMember(broker, 'late', 'late-0');
  late.connect();
  world.members.push(late);
  for (const member of world.members) member.hear();
  await world.settle();
  for (const { name, owner } of world.members)
    expect(owner, `the owner as ${name} knows`).to.equal(holders[0]);
  expect(broker.retainedDevice.owner, 'the owner that is retained').to.equal(holders[0]);
};

describe('The servers of a fleet', () => {
  it('never own a device twice, in whatever order messages travel and servers are killed', async () => {
    await fc.assert(
      fc.asyncProperty(steps(ACTIONS), async (script) => {
        const { world } = await started(false);
        for (const [index, action] of script) {
          await world.step(index, action);
          if (action === 'restart') {
            world.broker.publishWill();
            world.memberOf(index).connect();
            await turn();
          }
          expect(world.names.length, `holders ${world.names.join(', ')}`).to.be.at.most(1);
        }
        await expectOneOwner(world);
        world.close();
      }),
      { numRuns: historiesOf(150) },
    );
  });

  it('agree on one owner after lost connections and late last wills', async () => {
    await fc.assert(
      fc.asyncProperty(steps(LATE), async (script) => {
        const world = new World();
        for (const [index, action] of script) await world.step(index, action);
        await expectOneOwner(world);
        world.close();
      }),
      { numRuns: historiesOf(150) },
    );
  });
});

describe('A server of a fleet', () => {
  const ownedByOne = { _tag: 'OwnedElsewhere', address: DEVICE, owner: 'one' };
  const unclaimed = (cause: string) => ({ _tag: 'Unclaimed', address: DEVICE, cause });

  it('is refused a device that another server has just claimed', async () => {
    const { world, one, two } = await started();
    await world.claim(one, two);
    expect(world.names).to.deep.equal(['one']);
    expect(two.failures).to.deep.equal([ownedByOne]);
  });

  it('is refused a device of another server at once', async () => {
    const { world, one, two } = await started();
    await world.claim(one);
    await two.claim();
    expect(two.failures).to.deep.equal([ownedByOne]);
    expect(two.outbox).to.deep.equal([]);
  });

  it('gets a device whose owner is killed, once the last will is published', async () => {
    const { world, one, two } = await started();
    await world.claim(one);
    one.link();
    one.die();
    await two.claim();
    expect(two.failures).to.deep.equal([ownedByOne]);
    world.broker.publishWill();
    await world.settle();
    await world.claim(two);
    expect(two.holds).to.equal(true);
  });

  it('gets a device whose first claimant is killed before its claim is settled', async () => {
    const { world, one, two } = await started();
    void one.claim();
    void two.claim();
    await turn();
    one.send();
    two.send();
    one.die();
    await world.settle();
    expect(world.names).to.deep.equal(['two']);
    expect(world.broker.retainedDevice.owner).to.equal('two');
  });

  it('gets a device by its second claim after the first claimant was cut off', async () => {
    const { world, one, two, three } = await started();
    for (const member of [two, one, three]) void member.claim();
    await turn();
    for (const member of [two, one, three]) member.send();
    two.cut();
    await world.settle();
    expect([one.failures, three.failures]).to.deep.equal([[unclaimed('silence')], [unclaimed('silence')]]);
    await world.claim(one);
    expect(one.holds).to.equal(true);
  });

  it('loses the devices of its earlier run', async () => {
    const { world, one, two } = await started();
    await world.claim(one);
    world.restart(0).connect();
    await world.settle();
    await world.claim(two);
    expect(world.names).to.deep.equal(['two']);
  });

  it('gives up a lost device that another server has claimed meanwhile', async () => {
    const { world, one, two } = await started();
    await world.claim(one);
    one.link();
    one.cut();
    one.unlink();
    await world.settle();
    await world.claim(two);
    two.link();
    expect(world.names).to.deep.equal(['one', 'two']);
    one.connect();
    await world.settle();
    expect(world.names).to.deep.equal(['two']);
  });

  it('keeps a linked device that another server claimed while this server was away from the broker', async () => {
    const { world, one, two } = await started();
    await world.claim(one);
    one.link();
    one.cut();
    await world.settle();
    await world.claim(two);
    one.connect();
    await world.settle();
    expect(world.names).to.deep.equal(['one']);
  });

  it('is refused all devices while another server has its name', async () => {
    const { world, one } = await started();
    const twin = new FakeMember(world.broker, 'one', 'twin-0');
    world.members.push(twin);
    twin.connect();
    await world.settle();
    await world.claim(one);
    expect(one.failures).to.deep.equal([unclaimed('namesake')]);
  });

  it('gets a device after a late message that its earlier run is online', async () => {
    const { world } = await started();
    const topic = topicsOf('airbench', 'dice', 'one').server;
    const online = world.broker.retained.get(topic) ?? expect.fail('nothing is retained');
    const one = world.restart(0, 'stop');
    one.connect();
    await world.settle();
    world.broker.publish(online);
    await world.settle();
    await world.claim(one);
    expect(world.names).to.deep.equal(['one']);
  });

  describe('on a cluster of brokers that forward messages late', () => {
    const topics = topicsOf('airbench', 'dice', 'one');

    it('publishes its status again if it joins soon after the end of its earlier run', async () => {
      const { world } = await started();
      const one = world.restart(0, 'stop');
      await world.deliver();
      const offline = world.broker.retained.get(topics.server) ?? expect.fail('nothing is retained');
      one.connect();
      await world.deliver();
      world.broker.retained.set(topics.server, offline);
      world.broker.time.advance(LATE_MS);
      await world.settle();
      expect(world.broker.statusOf('one')).to.include('"online"');
    });

    it('publishes again that it owns a device after a claim of another server', async () => {
      const { world, one, two } = await started();
      await world.claim(one);
      one.link();
      await world.settle();
      const byTwo = (state: string) => ({
        ...{ topic: topics.owner(DEVICE), retain: true },
        payload: Buffer.from(
          JSON.stringify({ name: 'two', instance: `${two.run}-1`, state, seq: 2, epoch: 1 }),
        ),
      });
      world.broker.publish(byTwo('claimed'));
      await world.deliver();
      expect(world.broker.retainedDevice.owner).to.equal('one');
      world.broker.retained.set(topics.owner(DEVICE), byTwo('released'));
      world.broker.time.advance(LATE_MS);
      await world.settle();
      expect(world.broker.retainedDevice.owner).to.equal('one');
    });
  });

  it('replaces the late last will of its earlier connection at once', async () => {
    const { world, one } = await started();
    one.cut();
    const [will] = world.broker.wills.splice(0);
    one.connect();
    await world.deliver();
    world.broker.publish(will ?? expect.fail('there is no last will'));
    await world.deliver();
    expect(world.broker.statusOf('one')).to.include('"online"');
  });

  it('publishes the state of its device once after a reconnect', async () => {
    const { world, one } = await started();
    await world.claim(one);
    one.link();
    await world.settle();
    one.cut();
    one.unlink();
    one.connect();
    world.broker.wills.length = 0;
    const topics: string[] = [];
    const publish = world.broker.publish.bind(world.broker);
    world.broker.publish = (publication, sender) => {
      topics.push(publication.topic);
      publish(publication, sender);
    };
    await world.settle();
    const state = topicsOf('airbench', 'dice', 'one').state(DEVICE);
    expect(topics.filter((topic) => topic === state)).to.deep.equal([state]);
  });

  it('gets a device of a ghost once the ghost is declared offline', async () => {
    const { world, one } = await started();
    await world.claim(one);
    one.die();
    world.broker.wills.length = 0;
    world.members.shift();
    world.restart(0).connect();
    await world.settle();
    world.memberOf(0).hear();
    await world.settle();
    world.broker.time.advance(GHOST_MS);
    await world.settle();
    const two = world.memberOf(0);
    await world.claim(two);
    expect(world.names).to.deep.equal(['two']);
  });

  it('is refused a device if the broker does not answer', async () => {
    const { world, one } = await started();
    const claim = one.claim();
    await turn();
    world.broker.time.advance(5_000);
    await claim;
    expect(one.failures).to.deep.equal([unclaimed('silence')]);
    await world.settle();
    expect(world.names).to.deep.equal([]);
  });
});
