import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { setImmediate as turn } from 'node:timers/promises';
import { ANSWER_MS } from '../../src/mqtt/neighbours.js';
import { DEVICE, type FakeMember } from '../support/fake-fleet.js';
import { FakeWorld } from '../support/fake-world.js';

const ROOT = 'airbench/dice';

describe('The question which other server has a link to a device', () => {
  let world: FakeWorld;
  let one: FakeMember;
  let two: FakeMember;

  beforeEach(async () => {
    world = new FakeWorld(['one', 'two']);
    await turn();
    for (const member of world.members) member.connect();
    await world.settle();
    [one, two] = [world.memberOf(0), world.memberOf(1)];
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

  it('is answered with its name', async () => {
    two.become({ isLinked: true });
    await world.settle();
    expect(await asked(one)).to.equal('two');
    // A later question is a new one.
    two.become({ isLinked: false });
    await world.settle();
    expect(await asked(one)).to.equal(undefined);
  });

  it('is not answered with the name of the server that asks', async () => {
    one.become({ isLinked: true });
    await world.settle();
    expect(await asked(one)).to.equal(undefined);
  });

  it('is not answered with a server that is offline, or has no status', async () => {
    retain('servers/ghost', statusOf('ghost', 'offline'));
    for (const name of ['ghost', 'nobody'])
      retain(`servers/${name}/devices/${DEVICE}/availability`, 'online');
    expect(await asked(one)).to.equal(undefined);
    retain('servers/ghost', statusOf('ghost', 'online'));
    expect(await asked(one)).to.equal('ghost');
  });

  it('has no answer without a connection to the broker', async () => {
    one.cut();
    expect(await one.fleet.linkedNeighbour(DEVICE)()).to.equal(undefined);
  });

  it('of a server with a waiting session leaves a command to the server with a link', async () => {
    one.become({ isLinked: false });
    two.become({ isLinked: true });
    await world.settle();
    const answers: string[] = [];
    const publish = world.broker.publish.bind(world.broker);
    world.broker.publish = (publication) => {
      publish(publication);
      const [, server] = /servers\/(\w+)\/result$/.exec(publication.topic) ?? [];
      if (server !== undefined) answers.push(server);
    };
    const command = {
      topic: `${ROOT}/devices/${DEVICE}/commands/led`,
      payload: Buffer.from('{}'),
      retain: false,
    };
    publish(command);
    await world.settle();
    expect(answers.splice(0)).to.deep.equal(['two']);
    two.become(undefined);
    await world.settle();
    publish(command);
    await world.settle();
    expect(answers).to.deep.equal(['one']);
  });
});
