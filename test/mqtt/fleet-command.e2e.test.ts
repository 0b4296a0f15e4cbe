import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { connectAsync } from 'mqtt';
import { DIE, openFleetStage, type FleetStage } from '../support/fleet-stage.js';
import { freePort } from '../../features/support/loopback.js';
import { Consumer, startAedes, type EmbeddedBroker } from '../support/mqtt.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { CTRL_C, Terminal } from '../support/terminal.js';

const fleet = (port: number, ...args: readonly string[]) => [
  ...['fleet', '--mqtt', `mqtt://127.0.0.1:${port}`, ...args],
];

const run = (port: number, ...args: readonly string[]) => Program.airbench(fleet(port, ...args)).ended;

const shown = new RegExp(`^${DIE} +dice +one +online\\b`, 'm');

/** Retains messages on topics of dice. */
const retain = async (port: number, messages: Readonly<Record<string, string>>): Promise<void> => {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`);
  for (const [topic, payload] of Object.entries(messages))
    await client.publishAsync(`airbench/dice/${topic}`, payload, { qos: 1, retain: true });
  await client.endAsync();
};

describe('airbench fleet', () => {
  let broker: EmbeddedBroker | undefined;
  let stage: FleetStage | undefined;

  const begin = async (): Promise<number> => {
    broker = await startAedes();
    return broker.port;
  };

  /** A server with the die. */
  const connect = async (port: number): Promise<void> => {
    stage = await openFleetStage(port, ['one']);
    expect((await stage.servers[0]?.connect())?.status).to.equal(200);
  };

  const endWatching = async (terminal: Terminal): Promise<void> => {
    await terminal.shown(shown);
    terminal.type(CTRL_C);
    expect((await terminal.program.ended).status).to.equal(0);
  };

  afterEach(async () => {
    await stage?.close();
    await broker?.close();
    endPrograms();
    stage = broker = undefined;
  });

  it('shows servers, devices and owners once, for programs', async () => {
    const port = await begin();
    const consumer = await Consumer.of(port, 'airbench/dice/#');
    await connect(port);
    await consumer.on(`airbench/dice/devices/${DIE}/availability`);
    await consumer.close();
    const { status, stdout, stderr } = await run(port, '--json', '--listen-secs', '0.5');
    expect(status).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({
      servers: [{ kind: 'dice', name: 'one', status: 'online' }],
      devices: [{ kind: 'dice', address: DIE, availability: 'online', owner: 'one', heard: [] }],
      complete: false,
    });
    expect(stderr).to.equal('some may be missing: servers tell every 10 s which devices they hear\n');
  });

  it('shows a device of a server that was killed as offline', async () => {
    const port = await begin();
    const killed = { name: 'one', instance: 'first' };
    await retain(port, {
      'servers/one': JSON.stringify({ status: 'offline', ...killed, version: '0.1.0' }),
      [`devices/${DIE}/owner`]: JSON.stringify({ ...killed, state: 'owned', seq: 1, epoch: 1 }),
      [`devices/${DIE}/availability`]: 'online',
    });
    const { stdout } = await run(port, '--json', '--listen-secs', '0.5');
    expect(JSON.parse(stdout)).to.deep.include({
      servers: [{ kind: 'dice', name: 'one', status: 'offline' }],
      devices: [{ kind: 'dice', address: DIE, availability: 'offline', owner: null, heard: [] }],
    });
  });

  it('shows on a terminal what changes, until Ctrl-C', async function () {
    const port = await begin();
    const terminal = Terminal.of(this, fleet(port));
    await terminal.shown(/^DEVICE .*HEARD BY, dBm\s*$/m);
    await connect(port);
    await terminal.shown(/1 server, 1 online; /);
    await endWatching(terminal);
  });

  it('connects again when the broker was away, and reports it', async function () {
    const port = await begin();
    const terminal = Terminal.of(this, fleet(port));
    await terminal.shown(/^DEVICE/m);
    await broker?.close();
    const lost = `the connection to the MQTT broker 127.0.0.1:${port} is lost: connecting again`;
    await terminal.shown(new RegExp(`\\[J${lost}\\s*$`, 'm'));
    broker = await startAedes(port);
    await connect(port);
    await endWatching(terminal);
  });

  it('forgets a device and a server once they are not in use, and nothing before', async () => {
    const port = await begin();
    const consumer = await Consumer.of(port, 'airbench/dice/#');
    await connect(port);
    await consumer.on(`airbench/dice/devices/${DIE}/availability`);
    await consumer.close();
    const forgetting = (named: string) => run(port, '--forget', named);
    const used = await forgetting(DIE.toLowerCase());
    expect(used.status).to.equal(1);
    expect(used.stderr).to.equal(
      `device ${DIE} is connected to the server one, which is online: disconnect it there\n`,
    );
    expect((await forgetting('one')).stderr).to.equal('server one is online: stop it first\n');
    expect((await forgetting('two')).stderr).to.equal('nothing is retained of server two below airbench/\n');
    const gone = 'D1:CE:00:00:00:99';
    await retain(port, { [`devices/${gone}/state`]: '{}' });
    const { status, stdout } = await forgetting(gone);
    expect([status, stdout.trim()]).to.deep.equal([0, `cleared airbench/dice/devices/${gone}/state`]);
  });

  it('says that a broker cannot be reached', async () => {
    const { status, stderr } = await run(await freePort());
    expect(status).to.equal(1);
    expect(stderr).to.match(/^the MQTT broker 127\.0\.0\.1:\d+ cannot be used: .+ECONNREFUSED.+\n$/);
  });
});
