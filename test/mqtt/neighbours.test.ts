import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { setImmediate as turn } from 'node:timers/promises';
import { ANSWER_MS } from '../../src/mqtt/neighbours.js';
import { DEVICE, type FakeMember } from '../support/fake-fleet.js';
import { FakeWorld } from '../support/fake-world.js';

const ROOT = 'airbench/dice';

/** Two servers on a broker. */
const worldOfTwo = async () => {
  const world = new FakeWorld(['one', 'two']);
  await turn();
  for (const member of world.members) member.connect();
  await world.settle();
  return { world, one: world.memberOf(0), two: world.memberOf(1) };
};

describe('A server that looks for a neighbour with a link to a device', () => {
  let world: FakeWorld;
  let one: FakeMember;
  let two: FakeMember;

  beforeEach(async () => {
    ({ world, one, two } = await worldOfTwo());
  });

  /** Asks as a server does, twice at once, and lets the time of the question pass. */
  const asked = async (member: FakeMember): Promise<string | undefined> => {
    const answers = Promise.all([DEVICE, DEVICE].map((address) => member.fleet.linkedNeighbour(address)()));
    for (let part = 0; part < 2; part += 1) {
      await world.deliver();
      world.broker.time.advance(ANSWER_MS);
      await turn();
    }
    const [first, second] = await answers;
    expect(second).to.equal(first);
    return first;
  };

  const retain = (topic: string, payload: object | string): void =>
    world.broker.publish({
      ...{ topic: `${ROOT}/${topic}`, retain: true },
      payload: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
    });
  const statusOf = (name: string, status: string): object => ({ status, name, run: 'any', version: '0' });

  it('finds its name', async () => {
    two.become({ isLinked: true });
    await world.settle();
    expect(await asked(one)).to.equal('two');
    // A later question is a new one.
    two.become({ isLinked: false });
    await world.settle();
    expect(await asked(one)).to.equal(undefined);
  });

  it('does not find itself', async () => {
    one.become({ isLinked: true });
    await world.settle();
    expect(await asked(one)).to.equal(undefined);
  });

  it('finds no server that is offline, or has no status', async () => {
    retain('servers/ghost', statusOf('ghost', 'offline'));
    for (const name of ['ghost', 'nobody'])
      retain(`servers/${name}/devices/${DEVICE}/availability`, 'online');
    expect(await asked(one)).to.equal(undefined);
    retain('servers/ghost', statusOf('ghost', 'online'));
    expect(await asked(one)).to.equal('ghost');
  });

  it('finds none without a connection to the broker', async () => {
    one.cut();
    expect(await one.fleet.linkedNeighbour(DEVICE)()).to.equal(undefined);
  });
});

describe('A command to a device', () => {
  let world: FakeWorld;
  let one: FakeMember;
  let two: FakeMember;
  let answers: string[];

  beforeEach(async () => {
    ({ world, one, two } = await worldOfTwo());
    answers = [];
    const publish = world.broker.publish.bind(world.broker);
    world.broker.publish = (publication) => {
      publish(publication);
      const { topic, payload } = publication;
      const [, server] = /servers\/(\w+)\/result$/.exec(topic) ?? [];
      if (server !== undefined)
        answers.push(`${server} ${(JSON.parse(payload.toString()) as { readonly id: string }).id}`);
    };
  });

  const command = (id: string): void =>
    world.broker.publish({
      topic: `${ROOT}/devices/${DEVICE}/commands/led`,
      payload: Buffer.from(JSON.stringify({ id })),
      retain: false,
    });

  it('is left by a server with a waiting session to a neighbour with a link', async () => {
    one.become({ isLinked: false });
    two.become({ isLinked: true });
    await world.settle();
    command('first');
    await world.settle();
    expect(answers.splice(0)).to.deep.equal(['two first']);
    two.become(undefined);
    await world.settle();
    command('second');
    await world.settle();
    expect(answers).to.deep.equal(['one second']);
  });

  it('is not overtaken by the next one if the device comes back meanwhile', async () => {
    one.become({ isLinked: false });
    two.become({ isLinked: true });
    await world.settle();
    command('first');
    await world.deliver();
    two.become({ isLinked: false });
    one.become({ isLinked: true });
    command('second');
    await world.settle();
    expect(answers).to.deep.equal(['two first', 'one first', 'one second']);
  });

  it('is executed at once beside 256 others that wait', async () => {
    one.become({ isLinked: false });
    await world.settle();
    for (let count = 1; count <= 258; count += 1) command(String(count));
    await world.deliver();
    expect(answers).to.deep.equal(['one 257', 'one 258']);
    await world.settle();
    expect(answers).to.have.lengthOf(258);
  });
});
