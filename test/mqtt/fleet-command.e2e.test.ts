import { expect } from 'chai';
import { afterEach, describe, it, type Context } from 'mocha';
import { connectAsync } from 'mqtt';
import { DIE, openFleetStage, type FleetStage } from '../support/fleet-stage.js';
import { freePort } from '../../features/support/loopback.js';
import { Consumer, startAedes, type EmbeddedBroker } from '../support/mqtt.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { CTRL_C, Terminal } from '../support/terminal.js';

const watch = (test: Context, port: number): Terminal =>
  Terminal.of(test, ['fleet', '--mqtt', `mqtt://127.0.0.1:${port}`]);

describe('airbench fleet', () => {
  let broker: EmbeddedBroker | undefined;
  let stage: FleetStage | undefined;

  afterEach(async () => {
    await stage?.close();
    await broker?.close();
    endPrograms();
    stage = broker = undefined;
  });

  it('shows servers, devices and owners once, for programs', async () => {
    broker = await startAedes();
    const consumer = await Consumer.of(broker.port, 'airbench/dice/#');
    stage = await openFleetStage(broker.port, ['one']);
    await consumer.on('airbench/dice/servers/one');
    const [one] = stage.servers;
    expect((await one?.connect())?.status).to.equal(200);
    await consumer.on(`airbench/dice/devices/${DIE}/availability`);
    await consumer.close();
    const broke = `mqtt://127.0.0.1:${broker.port}`;
    const { status, stdout, stderr } = await Program.airbench([
      ...['fleet', '--mqtt', broke, '--json', '--listen-secs', '0.5'],
    ]).ended;
    expect(status).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({
      servers: [{ kind: 'dice', name: 'one', status: 'online' }],
      devices: [{ kind: 'dice', address: DIE, availability: 'online', owner: 'one', heard: [] }],
      complete: false,
    });
    expect(stderr).to.equal('some may be missing: servers tell every 10 s which devices they hear\n');
  });

  it('shows a device of a server that was killed as offline', async () => {
    broker = await startAedes();
    const { port } = broker;
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`);
    const killed = { name: 'one', instance: 'first' };
    for (const [topic, payload] of [
      ['servers/one', JSON.stringify({ status: 'offline', ...killed, version: '0.1.0' })],
      [`devices/${DIE}/owner`, JSON.stringify({ ...killed, state: 'owned', seq: 1, epoch: 1 })],
      [`devices/${DIE}/availability`, 'online'],
    ] as const)
      await client.publishAsync(`airbench/dice/${topic}`, payload, { qos: 1, retain: true });
    await client.endAsync();
    const { stdout } = await Program.airbench([
      ...['fleet', '--mqtt', `mqtt://127.0.0.1:${port}`, '--json', '--listen-secs', '0.5'],
    ]).ended;
    expect(JSON.parse(stdout)).to.deep.include({
      servers: [{ kind: 'dice', name: 'one', status: 'offline' }],
      devices: [{ kind: 'dice', address: DIE, availability: 'offline', owner: null, heard: [] }],
    });
  });

  it('shows on a terminal what changes, until Ctrl-C', async function () {
    broker = await startAedes();
    const watching = watch(this, broker.port);
    await watching.shown(/^DEVICE .*HEARD BY, dBm\s*$/m);
    stage = await openFleetStage(broker.port, ['one']);
    await watching.shown(/1 server, 1 online; /);
    await stage.servers[0]?.connect();
    await watching.shown(new RegExp(`^${DIE} +dice +one +online\\b`, 'm'));
    watching.type(CTRL_C);
    expect((await watching.program.ended).status).to.equal(0);
  });

  it('connects again when the broker was away, and tells about it', async function () {
    broker = await startAedes();
    const { port } = broker;
    const watching = watch(this, port);
    await watching.shown(/^DEVICE/m);
    await broker.close();
    await watching.shown(
      new RegExp(
        `\\[Jthe connection to the MQTT broker 127.0.0.1:${port} is lost: connecting again\\s*$`,
        'm',
      ),
    );
    broker = await startAedes(port);
    stage = await openFleetStage(port, ['one']);
    await stage.servers[0]?.connect();
    await watching.shown(new RegExp(`^${DIE} +dice +one +online\\b`, 'm'));
    watching.type(CTRL_C);
    expect((await watching.program.ended).status).to.equal(0);
  });

  it('forgets a device and a server once they are not in use, and nothing before', async () => {
    broker = await startAedes();
    const { port } = broker;
    const consumer = await Consumer.of(port, 'airbench/dice/#');
    stage = await openFleetStage(port, ['one']);
    expect((await stage.servers[0]?.connect())?.status).to.equal(200);
    await consumer.on(`airbench/dice/devices/${DIE}/availability`);
    await consumer.close();
    const forgetting = (named: string) =>
      Program.airbench(['fleet', '--mqtt', `mqtt://127.0.0.1:${port}`, '--forget', named]).ended;
    const used = await forgetting(DIE.toLowerCase());
    expect(used.status).to.equal(1);
    expect(used.stderr).to.equal(
      `device ${DIE} is connected to the server one, which is online: disconnect it there\n`,
    );
    expect((await forgetting('one')).stderr).to.equal('server one is online: stop it first\n');
    expect((await forgetting('two')).stderr).to.equal('nothing is retained of server two below airbench/\n');
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`);
    const gone = 'D1:CE:00:00:00:99';
    await client.publishAsync(`airbench/dice/devices/${gone}/state`, '{}', { qos: 1, retain: true });
    await client.endAsync();
    const { status, stdout } = await forgetting(gone);
    expect([status, stdout.trim()]).to.deep.equal([0, `cleared airbench/dice/devices/${gone}/state`]);
  });

  it('says that a broker cannot be reached', async () => {
    const { status, stderr } = await Program.airbench([
      'fleet',
      '--mqtt',
      `mqtt://127.0.0.1:${await freePort()}`,
    ]).ended;
    expect(status).to.equal(1);
    expect(stderr).to.match(/^the MQTT broker 127\.0\.0\.1:\d+ cannot be used: .+ECONNREFUSED.+\n$/);
  });
});
