import type { Client } from 'aedes';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { GREEN, RED, startFixture, type DiceFixture } from '../support/dice-fixture.js';
import type { FakeDie } from '../support/fake-die.js';
import { keeper } from '../support/keep.js';
import {
  Consumer,
  fleetOn,
  has,
  is,
  startAedes,
  type EmbeddedBroker,
  type TestFleet,
} from '../support/mqtt.js';
import { steppedTime } from '../support/stepped-time.js';

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
  /** The server's. */
  let own: Client | undefined;
  const time = steppedTime();

  beforeEach(async () => {
    broker = keep(await startAedes());
    broker.aedes.on('subscribe', (filters, client) => {
      if (filters.some(({ topic }) => topic.startsWith(SERVER))) own = client;
    });
    server = keep(fleetOn(broker.port, 'dice', { time }));
    consumer = keep(await Consumer.of(broker.port));
    await consumer.on(SERVER);
    fixture = keep(await startFixture([], 0, server.fleet));
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

  it('takes the numbers of a query as numbers', async () => {
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

  it('works without its broker, publishes its state again after that, clears that of a die that went, and counts the events between', async () => {
    const { id: other } = await fixture.die(GREEN);
    await consumer.on(`${DEVICES}/${GREEN}/availability`, is('online'));
    own?.conn.destroy();
    await consumer.on(SERVER, has({ status: 'offline' }));
    await time.armed(PAUSE_MS);
    expect((await fixture.get('/health')).body).to.include({ status: 'ok', mqtt: 'connecting' });
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

  it('publishes that the dice of its killed run are offline', async () => {
    const had = `${DEVICES}/${GREEN}`;
    const killed = { name: 'two', instance: 'killed' };
    await consumer.say('airbench/dice/servers/two/owned', { ...killed, devices: [GREEN] }, { retain: true });
    const claim = { ...killed, state: 'owned', seq: 1, epoch: 1 };
    for (const [part, value] of Object.entries({ owner: claim, state: {}, availability: 'online' }))
      await consumer.say(`${had}/${part}`, value, { retain: true });
    await consumer.on(`${had}/availability`);
    keep(fleetOn(broker.port, 'dice', { name: 'two' }));
    await consumer.each([`${had}/state`, is(undefined)], [`${had}/availability`, is('offline')]);
  });
});
