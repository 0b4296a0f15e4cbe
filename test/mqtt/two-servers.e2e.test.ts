/** Servers with their own radios on one air and on Mosquitto, which lose the broker, the die, or their lives. */
import { connect } from 'node:net';
import { pipeline } from 'node:stream';
import { expect } from 'chai';
import { afterEach, before, describe, it } from 'mocha';
import { startTcp } from '../../features/support/loopback.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { codeOf } from '../support/dice-fixture.js';
import { DIE, openPair } from '../support/fleet-stage.js';
import { right } from '../support/either.js';
import { keeper } from '../support/keep.js';
import { Consumer, has, is, retainedOn, startMosquitto } from '../support/mqtt.js';
import { requireProgram } from '../support/require.js';

const SERVERS = 'airbench/dice/servers';
const [ONE, TWO] = ['one', 'two'].map((name) => `${SERVERS}/${name}/devices`) as [string, string];
const CONFIG = 'homeassistant/device/airbench_d1ce00000001/config';

/** A relay to a broker that can be shut and opened again. */
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

const describes = (devices: string) => (config: unknown) =>
  JSON.stringify(config ?? '').includes(`${devices}/`);

describe('A die that a neighbour connects while its server has lost both the broker and the die', () => {
  const keep = keeper();

  it('stays described by the neighbour, and the server clears its own messages when it gives the die up', async function () {
    const { port } = keep(await startMosquitto(this));
    const gate = keep(await openGate(port));
    const { consumer, world, one, two } = await openPair(
      keep,
      port,
      { homeAssistant: 'homeassistant' },
      gate.port,
    );
    right(world.setReception(DIE, { inRange: false }, two.adapterId));
    expect((await one.connect()).status).to.equal(200);
    await consumer.each([`${ONE}/${DIE}/availability`, is('online')], [CONFIG, describes(ONE)]);
    gate.shut();
    right(world.setReception(DIE, { inRange: false }, one.adapterId));
    right(world.setReception(DIE, { inRange: true }, two.adapterId));
    await consumer.on(`${SERVERS}/one`, has({ status: 'offline' }));
    while ((await two.connect()).status !== 200);
    await consumer.each([`${TWO}/${DIE}/availability`, is('online')], [CONFIG, describes(TWO)]);
    gate.open();
    await consumer.each(
      [`${SERVERS}/one`, has({ status: 'online' })],
      [`${ONE}/${DIE}/state`, is(undefined)],
      [`${ONE}/${DIE}/availability`, is(undefined)],
      [ONE, has({ devices: [] })],
    );
    const [availability, config] = await retainedOn(port, `${TWO}/${DIE}/availability`, CONFIG);
    expect(availability).to.equal('online');
    expect(describes(TWO)(config), 'the description is of the neighbour').to.equal(true);
    const refused = await one.connect();
    expect([refused.status, codeOf(refused)]).to.deep.equal([409, 'owned_elsewhere']);
    expect(refused.body).to.include({ error: `device ${DIE} is connected by the server "two"` });
    await consumer.say(`airbench/dice/devices/${DIE}/commands/status`, { id: 1 });
    expect(await consumer.on(`${SERVERS}/two/result`)).to.deep.include({ id: 1, command: 'status' });
  });
});

describe('A server that is killed', () => {
  const keep = keeper();

  before(function () {
    requireProgram(this, 'mosquitto');
  });
  afterEach(endPrograms);

  /** A broker, and a server called `one` that was killed while it had a link to the die. */
  const killed = async (test: Mocha.Context) => {
    const { port } = keep(await startMosquitto(test));
    const url = `mqtt://127.0.0.1:${port}`;
    const air = Program.air(['--dice', '1', '--clocks', '0', '--pace', 'fast']);
    const hci = await air.url('virtual radio');
    const start = (...flags: readonly string[]) =>
      Program.server('dice', hci, ['--mqtt', url, '--name', 'one', '--home-assistant', ...flags]);
    const consumer = keep(await Consumer.of(port));
    const program = start('--connect', DIE);
    await consumer.each([`${ONE}/${DIE}/availability`, is('online')], [CONFIG, describes(ONE)]);
    await program.signal('SIGKILL');
    await consumer.on(`${SERVERS}/one`, has({ status: 'offline' }));
    return { port, url, consumer, start };
  };

  /** The topics below the prefix and of Home Assistant that have a retained message. */
  const retainedTopics = async (port: number): Promise<readonly string[]> => {
    const client = keep(await Consumer.of(port));
    await client.say('end', 'x');
    const topics: string[] = [];
    for (;;) {
      const { topic } = await client.next(() => true);
      if (topic === 'end') return topics.sort();
      topics.push(topic);
    }
  };

  it('is available no more, and clears at its next start the device that it had', async function () {
    const { port, consumer, start } = await killed(this);
    const [status, availability, devices] = await retainedOn(
      port,
      ...[`${SERVERS}/one`, `${ONE}/${DIE}/availability`, ONE],
    );
    expect(status).to.include({ status: 'offline' });
    expect([availability, devices]).to.deep.equal(['online', { devices: [DIE] }]);
    start();
    const ends: unknown[] = [];
    while (ends.at(-1) !== undefined || ends.length === 0)
      ends.push(await consumer.on(`${ONE}/${DIE}/availability`));
    expect(ends).to.deep.equal(['offline', undefined]);
    await consumer.on(ONE, has({ devices: [] }));
    const topics = await retainedTopics(port);
    expect(topics.filter((topic) => topic.startsWith(`${ONE}/`))).to.deep.equal([]);
    expect(topics, 'a device that no client has disconnected stays in Home Assistant').to.include(CONFIG);
  });

  it('is forgotten with all that it has retained and the descriptions that name it', async function () {
    const { port, url } = await killed(this);
    const before = await retainedTopics(port);
    expect(before).to.include.members([CONFIG, `${SERVERS}/one`, `${ONE}/${DIE}/state`, ONE]);
    const { status, stdout } = await Program.airbench(['fleet', '--mqtt', url, '--forget', 'one']).ended;
    expect(status).to.equal(0);
    expect(stdout.trim().split('\n').sort()).to.deep.equal(before.map((topic) => `cleared ${topic}`));
    expect(await retainedTopics(port)).to.deep.equal([]);
  });
});
