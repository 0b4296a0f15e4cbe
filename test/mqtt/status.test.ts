/** The retained status of servers, also of lost servers that are retained as online. */
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { GHOST_MS } from '../../src/mqtt/presence.js';
import { RED, startFixture, type DiceFixture } from '../support/dice-fixture.js';
import {
  Consumer,
  fleetOn,
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

const statusIn = (value: unknown): unknown => (value as { readonly status?: unknown } | undefined)?.status;

/** The status that is retained of a server. */
const retainedOf = async (port: number, name: string): Promise<unknown> =>
  statusIn((await retainedOn(port, `${SERVERS}/${name}`))[0]);

describe('The status of a server on Mosquitto', () => {
  it('stays offline after each orderly stop', async function () {
    const mosquitto = await startMosquitto(this);
    const consumer = await Consumer.of(mosquitto.port, `${SERVERS}/+`);
    for (let stop = 0; stop < 5; stop++) {
      const { fleet } = fleetOn(mosquitto.port, 'dice');
      await consumer.on(`${SERVERS}/one`, (value) => statusIn(value) === 'online');
      await fleet.close();
      expect(await retainedOf(mosquitto.port, 'one')).to.equal('offline');
    }
    await consumer.close();
    await mosquitto.kill();
  });
});

describe('A server that finds one online that never answers', () => {
  let broker: EmbeddedBroker;
  let consumer: Consumer;
  let time: SteppedTime;
  let server: TestFleet;
  let fixture: DiceFixture;

  beforeEach(async () => {
    broker = await startAedes();
    time = steppedTime();
    consumer = await Consumer.of(broker.port, 'airbench/dice/#');
    await consumer.say(`${SERVERS}/${GHOST.name}`, { status: 'online', ...GHOST }, { retain: true });
    server = fleetOn(broker.port, 'dice', { time });
    fixture = await startFixture([], 0, server.fleet);
    await consumer.on(`${SERVERS}/one`, (value) => statusIn(value) === 'online');
  });

  afterEach(async () => {
    await fixture.close();
    await server.fleet.close();
    await consumer.close();
    await broker.close();
  });

  it('answers what the fleet is asked', async () => {
    await consumer.say(`${FLEET}/commands/scan`, { id: 'early', duration_secs: 0 });
    expect(await consumer.on(`${FLEET}/result`)).to.include({ id: 'early', code: 'invalid_input' });
    await consumer.say(`${FLEET}/commands/scan`, { id: 'late', duration_secs: 0 });
    expect(await consumer.on(`${FLEET}/result`)).to.include({ id: 'late', code: 'invalid_input' });
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
