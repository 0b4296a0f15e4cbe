import { expect } from 'chai';
import { describe, it } from 'mocha';
import { setImmediate as turn } from 'node:timers/promises';
import { MOST_DEVICES, MOST_HEARERS, MOST_SERVERS } from '../../src/mqtt/bounded.js';
import { Servers } from '../../src/mqtt/claims.js';
import { Hearers } from '../../src/mqtt/hearing.js';
import { topicsOf } from '../../src/contract/topics.js';
import { DEVICE, FakeBroker, FakeMember } from '../support/fake-fleet.js';
import { manualTime } from '../support/manual-time.js';

const GHOST = { name: 'ghost', instance: 'ghost-1' };

/** The address of a made-up device. */
const madeUp = (index: number): string => {
  const [high, low] = [index >> 8, index & 0xff].map((byte) => byte.toString(16).padStart(2, '0'));
  return `00:00:00:00:${high}:${low}`.toUpperCase();
};

const statusOf = (name: string): Buffer =>
  Buffer.from(JSON.stringify({ status: 'online', name, instance: `${name}-1`, version: '0' }));

describe('A server that receives messages about made-up servers and devices', () => {
  it('knows only the newest servers and itself', () => {
    const servers = new Servers((name) => name === 'own');
    for (const name of ['own', 'oldest', 'busy']) servers.receive(name, statusOf(name));
    for (let count = 0; count < MOST_SERVERS - 2; count++) {
      servers.receive(`ghost${count}`, statusOf(`ghost${count}`));
      servers.spoke({ name: 'busy', instance: 'busy-1' });
    }
    expect(servers.all).to.have.length(MOST_SERVERS);
    expect(['own', 'oldest', 'busy'].map(servers.isOnline)).to.deep.equal([true, false, true]);
  });

  it('knows only the signals of the newest devices, and the newest signals of each', () => {
    const hearing = new Hearers(manualTime());
    const best = (address: string): string | undefined => hearing.best(address, 0);
    for (let count = 0; count <= MOST_DEVICES; count++) hearing.heard(madeUp(count), 'ghost', -60);
    expect([best(madeUp(0)), best(madeUp(1))]).to.deep.equal([undefined, 'ghost']);
    hearing.heard(DEVICE, 'loud', -10);
    for (let count = 1; count < MOST_HEARERS; count++) hearing.heard(DEVICE, `ghost${count}`, -60);
    expect(best(DEVICE)).to.equal('loud');
    hearing.heard(DEVICE, 'one more', -50);
    expect(best(DEVICE)).to.equal('one more');
  });

  const topics = topicsOf('airbench', 'dice', '');
  const claimBy = (server: typeof GHOST, address: string) => ({
    topic: topics.owner(address),
    payload: Buffer.from(JSON.stringify({ ...server, state: 'owned', seq: 1, epoch: 1 })),
    retain: false,
  });

  const member = (broker: FakeBroker): FakeMember => {
    const one = new FakeMember(broker, 'one', 'one');
    one.connect();
    return one;
  };

  const exchange = async (one: FakeMember): Promise<void> => {
    for (let idle = 0; idle < 3; idle++) {
      await turn();
      while (one.inbox.length + one.outbox.length > 0) {
        one.send();
        one.receive();
      }
    }
  };

  it('knows only the owners of the newest devices', async () => {
    const broker = new FakeBroker();
    const one = member(broker);
    one.hear();
    for (let count = 0; count < MOST_DEVICES - 1; count++) one.hear(madeUp(count));
    await exchange(one);
    broker.publish({ topic: 'airbench/dice/servers/ghost', payload: statusOf('ghost'), retain: true });
    broker.publish(claimBy(GHOST, DEVICE));
    await exchange(one);
    expect(one.owner).to.equal('ghost');
    one.hear(madeUp(MOST_DEVICES));
    await exchange(one);
    expect(one.owner).to.equal(undefined);
  });

  it('keeps its own devices', async () => {
    const broker = new FakeBroker();
    const one = member(broker);
    await exchange(one);
    void one.claim();
    await exchange(one);
    for (let count = 0; count <= MOST_DEVICES; count++) one.hear(madeUp(count));
    await exchange(one);
    broker.publish(claimBy(GHOST, DEVICE));
    await exchange(one);
    expect(one.holds, 'the server has received the claim of the ghost').to.equal(true);
    expect(broker.retainedDevice.owner).to.equal('one');
  });
});
