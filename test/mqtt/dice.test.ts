import type { Client } from 'aedes';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { GHOST_MS } from '../../src/mqtt/presence.js';
import { GREEN, LIMITS, RED, startFixture, type DiceFixture } from '../support/dice-fixture.js';
import type { FakeDie } from '../support/fake-die.js';
import { keeper } from '../support/keep.js';
import {
  Consumer,
  fleetOn,
  has,
  is,
  retainedOn,
  startAedes,
  startMosquitto,
  type EmbeddedBroker,
  type TestFleet,
} from '../support/mqtt.js';
import { steppedTime, type SteppedTime } from '../support/stepped-time.js';

const SERVER = 'airbench/dice/servers/one';
const DEVICES = 'airbench/dice/devices';
const BLUE = 'D1:CE:00:00:00:03';
const PAUSE_MS = 250;

describe('A dice server on a broker', () => {
  const keep = keeper();
  let broker: EmbeddedBroker;
  let server: TestFleet;
  let fixture: DiceFixture;
  let consumer: Consumer;
  let die: FakeDie;
  let id: string;
  /** The server, as the broker sees it. */
  let serverClient: Client | undefined;
  const time = steppedTime();

  beforeEach(async () => {
    broker = keep(await startAedes());
    broker.aedes.on('subscribe', (filters, client) => {
      if (filters.some(({ topic }) => topic.startsWith(SERVER))) serverClient = client;
    });
    server = keep(fleetOn(broker.port, 'dice', { time }));
    consumer = keep(await Consumer.of(broker.port));
    await consumer.on(SERVER);
    fixture = keep(await startFixture({ fleet: server.fleet }));
    ({ die, id } = await fixture.die(RED));
    await consumer.on(`${DEVICES}/${RED}/availability`, is('online'));
  });

  const ask = async (topic: string, payload: unknown): Promise<unknown> => {
    await consumer.say(topic, payload);
    return consumer.on(`${SERVER}/result`);
  };

  it('has the state of a die by session and by address', async () => {
    const { body } = await fixture.get(`/api/status/${id}`);
    expect(await ask(`${SERVER}/commands/status`, { session_id: id })).to.deep.equal({
      command: 'status',
      result: body,
    });
    expect(await ask(`${DEVICES}/${RED}/commands/status`, '')).to.deep.equal({
      command: 'status',
      result: body,
    });
  });

  it('takes numbers for the query of a command', async () => {
    expect(await ask(`${SERVER}/commands/scan`, { duration_secs: 0 })).to.deep.include({
      command: 'scan',
      code: 'invalid_input',
    });
  });

  it('ignores a command for a die without a session', async () => {
    await consumer.say(`${DEVICES}/${GREEN}/commands/led`, { led1: '000000' });
    expect(await ask(`${SERVER}/commands/sessions`, { id: 1 })).to.include({ id: 1 });
    expect(consumer.heard).to.deep.equal([]);
  });

  it('works and counts dropped events without its broker, then publishes its states and clears the state of a die that left', async () => {
    const { id: other } = await fixture.die(GREEN);
    await consumer.on(`${DEVICES}/${GREEN}/availability`, is('online'));
    serverClient?.conn.destroy();
    await consumer.on(SERVER, has({ status: 'offline' }));
    await time.armed(PAUSE_MS);
    expect((await fixture.get('/health')).body).to.include({
      ...{ status: 'ok', mqtt: 'connecting', home_assistant: false },
    });
    expect(await server.metrics.text()).to.include('airbench_mqtt_connected 0');
    await fixture.post('/api/disconnect', { session_id: other });
    await fixture.die(BLUE);
    const listener = await fixture.listen();
    die.say({ _tag: 'Tap' });
    expect(await listener.next()).to.deep.equal({ kind: 'Tap' });
    const before = await server.dropped();
    expect(before).to.be.at.least(1);
    time.advance(PAUSE_MS);
    await consumer.on(SERVER, has({ status: 'online' }));
    await consumer.each(
      [`${DEVICES}/${GREEN}/state`, is(undefined)],
      [`${DEVICES}/${GREEN}/availability`, is('offline')],
      [`${DEVICES}/${RED}/availability`, is('online')],
    );
    expect((await fixture.get('/health')).body).to.include({ mqtt: 'connected' });
    expect(await server.dropped()).to.equal(before);
  });

  it('publishes the dice of its killed run as offline', async () => {
    const topic = `${DEVICES}/${GREEN}`;
    const killed = { name: 'two', instance: 'killed' };
    await consumer.say('airbench/dice/servers/two/owned', { ...killed, devices: [GREEN] }, { retain: true });
    const claim = { ...killed, state: 'owned', seq: 1, epoch: 1 };
    for (const [part, value] of Object.entries({ owner: claim, state: {}, availability: 'online' }))
      await consumer.say(`${topic}/${part}`, value, { retain: true });
    await consumer.on(`${topic}/availability`);
    keep(fleetOn(broker.port, 'dice', { name: 'two' }));
    await consumer.each([`${topic}/state`, is(undefined)], [`${topic}/availability`, is('offline')]);
  });
});

const SERVERS = 'airbench/dice/servers';
const FLEET = 'airbench/dice/fleet';
const GHOST = { name: 'a-ghost', instance: 'ghost-1', version: '0.1.0' };

/** The retained status of a server. */
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

describe('A server that finds a ghost on its broker', () => {
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
    fixture = keep(await startFixture({ fleet: server.fleet }));
    await consumer.on(`${SERVERS}/one`, has({ status: 'online' }));
  });

  it('answers commands to the fleet, also for a die that no server hears', async () => {
    await consumer.say(`${FLEET}/commands/scan`, { id: 'early', duration_secs: 0 });
    expect(await consumer.on(`${FLEET}/result`)).to.include({ id: 'early', code: 'invalid_input' });
    await consumer.say(`${FLEET}/commands/connect`, { id: 'late', address: RED });
    // A server that does not hear the die waits a second for a server that hears it.
    await time.pass(1_000);
    await fixture.time.pass(LIMITS.scan);
    expect(await consumer.on(`${FLEET}/result`)).to.include({ id: 'late', code: 'device_not_found' });
  });

  it('declares a server that never answers offline', async () => {
    const claim = { name: GHOST.name, instance: GHOST.instance, state: 'owned', seq: 1, epoch: 1 };
    await consumer.say(`airbench/dice/devices/${RED}/owner`, claim, { retain: true });
    server.fleet.ownership.check(RED);
    await consumer.on(`${SERVERS}/${GHOST.name}/asked`);
    await time.pass(GHOST_MS);
    expect(await consumer.on(`${SERVERS}/${GHOST.name}`)).to.deep.equal({ status: 'offline', ...GHOST });
    expect(await retainedOf(broker.port, GHOST.name)).to.equal('offline');
  });
});
