/** A server that is cut off from the broker and from its die, and comes back when another server has the die. */
import { connect } from 'node:net';
import { pipeline } from 'node:stream';
import { expect } from 'chai';
import { before, beforeEach, describe, it } from 'mocha';
import { bothOf, openFleetStage, DIE, type FleetStage, type StagedServer } from '../support/fleet-stage.js';
import { right } from '../support/either.js';
import { startTcp } from '../../features/support/loopback.js';
import { keeper } from '../support/keep.js';
import { Consumer, has, is, retainedOn, startMosquitto } from '../support/mqtt.js';
import { requireProgram } from '../support/require.js';

const ROOT = 'airbench/dice';
const STATE = `${ROOT}/devices/${DIE}/state`;
const AVAILABILITY = `${ROOT}/devices/${DIE}/availability`;
const OWNER = `${ROOT}/devices/${DIE}/owner`;
const CONFIG = 'homeassistant/device/airbench_d1ce00000001/config';

/** A way to a broker that can be closed. */
const openGate = async (port: number) => {
  let isOpen = true;
  const server = await startTcp((socket) => {
    if (isOpen) pipeline(socket, connect(port, '127.0.0.1'), socket, () => undefined);
    else socket.destroy();
  });
  return {
    port: server.port,
    shut: () => {
      isOpen = false;
      for (const socket of server.sockets) socket.destroy();
    },
    open: () => (isOpen = true),
    close: server.close,
  };
};

describe('A die of a server that loses broker and link', () => {
  const keep = keeper();
  let port: number;
  let consumer: Consumer;
  let gate: Awaited<ReturnType<typeof openGate>>;
  let stage: FleetStage;
  let a: StagedServer;
  let b: StagedServer;

  before(function () {
    requireProgram(this, 'mosquitto');
  });

  beforeEach(async function () {
    ({ port } = keep(await startMosquitto(this)));
    consumer = keep(await Consumer.of(port, '#', { protocolVersion: 5 }));
    gate = keep(await openGate(port));
    const options = { homeAssistant: 'homeassistant' };
    stage = keep(await openFleetStage(port, ['a', 'b'], options, { a: gate.port }));
    [a, b] = bothOf(stage);
    await consumer.each(...['a', 'b'].map((name) => [`${ROOT}/servers/${name}`] as const));
  });

  const isOnline = is('online');
  const epochOf = (value: unknown): unknown => (value as { readonly epoch: unknown }).epoch;

  const retained = (...topics: readonly string[]) => retainedOn(port, ...topics);

  const expectDieOf = async (name: string): Promise<void> => {
    const [owner, state, availability, config] = await retained(OWNER, STATE, AVAILABILITY, CONFIG);
    expect(owner).to.include({ name, state: 'owned' });
    expect(state).to.include({ connected: true, epoch: epochOf(owner) });
    expect(availability).to.equal('online');
    expect(JSON.stringify(config), "the config is the owner's").to.include(`${ROOT}/servers/${name}"`);
  };

  it('is the die of the other that has connected it, for all that look, when the first is back', async () => {
    right(stage.world.setReception(DIE, { inRange: false }, b.adapterId));
    expect((await a.connect()).status).to.equal(200);
    await consumer.on(AVAILABILITY, isOnline);
    const first = epochOf((await retained(OWNER))[0]);
    gate.shut();
    right(stage.world.setReception(DIE, { inRange: false }, a.adapterId));
    right(stage.world.setReception(DIE, { inRange: true }, b.adapterId));
    await consumer.on(`${ROOT}/servers/a`);
    let answer = await b.connect();
    while (answer.status !== 200) answer = await b.connect();
    await consumer.on(AVAILABILITY, isOnline);
    expect(epochOf((await retained(OWNER))[0])).to.be.greaterThan(Number(first));
    gate.open();
    await consumer.on(`${ROOT}/servers/a`, has({ status: 'online' }));
    while ((await a.sessions()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await expectDieOf('b');
  });

  it('is written again by its owner when others write its state or its availability', async () => {
    expect((await a.connect()).status).to.equal(200);
    await consumer.on(AVAILABILITY, isOnline);
    await consumer.say(AVAILABILITY, 'offline', { retain: true });
    await consumer.on(AVAILABILITY, is('offline'));
    await consumer.on(AVAILABILITY, isOnline);
    await consumer.say(STATE, '', { retain: true });
    await consumer.on(STATE, is(undefined));
    await consumer.on(STATE, (value) => value !== undefined);
    await consumer.say(OWNER, { ...((await retained(OWNER))[0] as object), name: 'b' }, { retain: true });
    await consumer.on(OWNER, has({ name: 'b' }));
    const epoch = epochOf(await consumer.on(OWNER, has({ name: 'a' })));
    await consumer.on(STATE, has({ epoch }));
    await expectDieOf('a');
  });
});
