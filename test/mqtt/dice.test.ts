import type { Client } from 'aedes';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { codeOf, GREEN, LIMITS, RED, startFixture, type DiceFixture } from '../support/dice-fixture.js';
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
import { steppedTime } from '../support/stepped-time.js';

const SERVERS = 'airbench/dice/servers';
const SERVER = `${SERVERS}/one`;
const DEVICES = `${SERVER}/devices`;
/** Commands to the server that has a device. */
const commandsTo = (address: string): string => `airbench/dice/devices/${address}/commands`;
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
    expect(await ask(`${commandsTo(RED)}/status`, '')).to.deep.equal({
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
    await consumer.say(`${commandsTo(GREEN)}/led`, { led1: '000000' });
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
      [`${DEVICES}/${GREEN}/availability`, is(undefined)],
      [`${DEVICES}/${RED}/availability`, is('online')],
      [DEVICES, has({ devices: [RED, BLUE] })],
    );
    expect((await fixture.get('/health')).body).to.include({ mqtt: 'connected' });
    expect(await server.dropped()).to.equal(before);
  });

  it('clears the retained messages of an earlier version for its dice', async () => {
    const owned = `${SERVERS}/two/owned`;
    const topics = ['state', 'availability', 'owner'].map((part) => `airbench/dice/devices/${GREEN}/${part}`);
    const earlier = { name: 'two', instance: 'x', devices: [GREEN] };
    for (const topic of topics) await consumer.say(topic, {}, { retain: true });
    await consumer.say(owned, earlier, { retain: true });
    await consumer.on(owned);
    keep(fleetOn(broker.port, 'dice', { name: 'two' }));
    await consumer.each(...[...topics, owned].map((topic) => [topic, is(undefined)] as const));
    const client = keep(await Consumer.of(broker.port, '#'));
    await client.say('end', 'x');
    const left = await client.next(({ topic }) => topic === 'end' || [...topics, owned].includes(topic));
    expect(left.topic).to.equal('end');
  });
});

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

describe('A dice server whose broker retains that a neighbour has a link to a die', () => {
  const keep = keeper();
  let broker: EmbeddedBroker;
  let fixture: DiceFixture;
  let consumer: Consumer;

  const retain = (topic: string, value: unknown) => consumer.say(topic, value, { retain: true });

  /** Retains that the server `two` is online or offline, and whether it says that it can reach the die. */
  const neighbour = async (status: string, availability: string): Promise<void> => {
    await retain(`${SERVERS}/two`, { status, name: 'two', run: 'two-1', version: '1.0.0' });
    await retain(`${SERVERS}/two/devices/${RED}/availability`, availability);
  };

  beforeEach(async () => {
    broker = keep(await startAedes());
    consumer = keep(await Consumer.of(broker.port));
    const { fleet } = keep(fleetOn(broker.port, 'dice'));
    fixture = keep(await startFixture({ fleet }));
    await consumer.on(SERVER, has({ status: 'online' }));
  });

  for (const [title, status, availability, expected] of [
    ['names a neighbour that is online and has the link', 'online', 'online', [409, 'owned_elsewhere']],
    ['names no neighbour that is offline', 'offline', 'online', [404, 'device_not_found']],
    ['names no neighbour without the link', 'online', 'offline', [404, 'device_not_found']],
  ] as const)
    it(`${title} when a client's connect has failed`, async () => {
      await neighbour(status, availability);
      const answering = fixture.post('/api/connect', { address: RED });
      await fixture.time.pass(LIMITS.scan);
      const answer = await answering;
      expect([answer.status, codeOf(answer)]).to.deep.equal(expected);
      if (expected[0] === 409)
        expect(answer.body).to.include({ error: `device ${RED} is connected by the server "two"` });
    });

  it('connects a die that advertises, whatever the neighbour says', async () => {
    await neighbour('online', 'online');
    await fixture.die(RED);
    await consumer.on(`${SERVER}/devices/${RED}/availability`, is('online'));
  });
});
