/** The retained status of servers, also of lost servers that are retained as online. */
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { GHOST_MS } from '../../src/mqtt/presence.js';
import { LIMITS, RED, startFixture, type DiceFixture } from '../support/dice-fixture.js';
import { keeper } from '../support/keep.js';
import {
  Consumer,
  fleetOn,
  has,
  retainedOn,
  startAedes,
  startMosquitto,
  type EmbeddedBroker,
  type TestFleet,
} from '../support/mqtt.js';
import { steppedTime, type SteppedTime } from '../support/stepped-time.js';

const SERVERS = 'airbench/dice/servers';
const FLEET = 'airbench/dice/fleet';
const GHOST = { name: 'a-ghost', instance: 'ghost-1', version: '0.1.0' };

/** The status that is retained of a server. */
const retainedOf = async (port: number, name: string): Promise<unknown> =>
  ((await retainedOn(port, `${SERVERS}/${name}`))[0] as { readonly status: unknown }).status;

describe('The status of a server on Mosquitto', () => {
  const keep = keeper();

  it('stays offline after each orderly stop', async function () {
    const { port } = keep(await startMosquitto(this));
    const consumer = keep(await Consumer.of(port, `${SERVERS}/+`));
    for (let stop = 0; stop < 5; stop++) {
      const { fleet } = fleetOn(port, 'dice');
      await consumer.on(`${SERVERS}/one`, has({ status: 'online' }));
      await fleet.close();
      expect(await retainedOf(port, 'one')).to.equal('offline');
    }
  });
});

describe('A server that finds one online that never answers', () => {
  const keep = keeper();
  let broker: EmbeddedBroker;
  let consumer: Consumer;
  let time: SteppedTime;
  let server: TestFleet;
  let fixture: DiceFixture;

  beforeEach(async () => {
    broker = keep(await startAedes());
    time = steppedTime();
    consumer = keep(await Consumer.of(broker.port, 'airbench/dice/#'));
    await consumer.say(`${SERVERS}/${GHOST.name}`, { status: 'online', ...GHOST }, { retain: true });
    server = keep(fleetOn(broker.port, 'dice', { time }));
    fixture = keep(await startFixture([], 0, server.fleet));
    await consumer.on(`${SERVERS}/one`, has({ status: 'online' }));
  });

  it('answers commands to the fleet, also for a die that no server hears', async () => {
    await consumer.say(`${FLEET}/commands/scan`, { id: 'early', duration_secs: 0 });
    expect(await consumer.on(`${FLEET}/result`)).to.include({ id: 'early', code: 'invalid_input' });
    await consumer.say(`${FLEET}/commands/connect`, { id: 'late', address: RED });
    // A server that does not hear the die waits a second for one that does.
    await time.pass(1_000);
    await fixture.time.pass(LIMITS.scan);
    expect(await consumer.on(`${FLEET}/result`)).to.include({ id: 'late', code: 'device_not_found' });
  });

  it('declares it offline in the end', async () => {
    const claim = { name: GHOST.name, instance: GHOST.instance, state: 'owned', seq: 1, epoch: 1 };
    await consumer.say(`airbench/dice/devices/${RED}/owner`, claim, { retain: true });
    server.fleet.ownership.check(RED);
    await consumer.on(`${SERVERS}/${GHOST.name}/asked`);
    await time.pass(GHOST_MS);
    expect(await consumer.on(`${SERVERS}/${GHOST.name}`)).to.deep.equal({ status: 'offline', ...GHOST });
    expect(await retainedOf(broker.port, GHOST.name)).to.equal('offline');
  });
});
