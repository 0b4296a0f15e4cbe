import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { MOST_SERVERS } from '../../src/mqtt/bounded.js';
import { DIE, openFleetStage } from '../support/fleet-stage.js';
import { keeper } from '../support/keep.js';
import { Consumer, startAedes, type EmbeddedBroker } from '../support/mqtt.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { CTRL_C, Terminal } from '../support/terminal.js';

/** A device that no server hears, as JSON shows it without its server. */
const SHOWN = { kind: 'dice', address: DIE, label: null, heard: [] };

const statusOf = (name: string, status = 'online'): string =>
  JSON.stringify({ status, name, run: `${name}-1`, version: '1.0.0' });

const shown = new RegExp(`^${DIE} +dice +one +online\\b`, 'm');

describe('airbench fleet', () => {
  const keep = keeper();
  let broker: EmbeddedBroker;
  let port: number;

  beforeEach(async () => {
    broker = keep(await startAedes());
    ({ port } = broker);
  });
  afterEach(endPrograms);

  const fleet = (...args: readonly string[]) => ['fleet', '--mqtt', `mqtt://127.0.0.1:${port}`, ...args];

  const run = (...args: readonly string[]) => Program.airbench(fleet(...args)).ended;

  /** Retains messages on topics of dice. */
  const retain = async (messages: Readonly<Record<string, string>>): Promise<void> => {
    const client = await Consumer.of(port, 'none');
    for (const [topic, payload] of Object.entries(messages))
      await client.say(`airbench/dice/${topic}`, payload, { retain: true });
    await client.close();
  };

  /** Starts a server, which connects the die. */
  const connect = async (): Promise<void> => {
    const consumer = keep(await Consumer.of(port, 'airbench/dice/#'));
    const { servers } = keep(await openFleetStage(port, ['one']));
    expect((await servers[0]?.connect())?.status).to.equal(200);
    await consumer.on(`airbench/dice/servers/one/devices/${DIE}/availability`);
  };

  const endWatching = async (terminal: Terminal): Promise<void> => {
    await terminal.shown(shown);
    terminal.type(CTRL_C);
    expect((await terminal.program.ended).status).to.equal(0);
  };

  it('prints servers and devices once as JSON', async () => {
    await connect();
    const { status, stdout, stderr } = await run('--json', '--listen-secs', '0.5');
    expect(status).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({
      servers: [{ kind: 'dice', name: 'one', status: 'online' }],
      devices: [{ ...SHOWN, server: 'one', availability: 'online' }],
      complete: false,
    });
    expect(stderr).to.equal('devices may be missing: servers report every 10 s which devices they hear\n');
  });

  it('names no server that was killed as the server of a device', async () => {
    await retain({
      'servers/one': statusOf('one', 'offline'),
      [`servers/one/devices/${DIE}/availability`]: 'online',
      [`devices/${DIE}/label`]: JSON.stringify({
        label: 'Red',
        time: '2026-01-01T00:00:00.000Z',
        name: 'one',
      }),
    });
    const { stdout } = await run('--json', '--listen-secs', '0.5');
    expect(JSON.parse(stdout)).to.deep.include({
      servers: [{ kind: 'dice', name: 'one', status: 'offline' }],
      devices: [{ ...SHOWN, label: 'Red', server: null, availability: 'offline' }],
    });
  });

  it('has a device that two servers have under both', async () => {
    for (const [name, availability] of [
      ['two', 'offline'],
      ['one', 'online'],
    ] as const)
      await retain({
        [`servers/${name}`]: statusOf(name),
        [`servers/${name}/devices/${DIE}/availability`]: availability,
      });
    const { stdout } = await run('--json', '--listen-secs', '0.5');
    expect(JSON.parse(stdout)).to.deep.include({
      devices: [
        { ...SHOWN, server: 'one', availability: 'online' },
        { ...SHOWN, server: 'two', availability: 'offline' },
      ],
    });
  });

  it('says that its output is incomplete if there are more servers than it shows, however long it listens', async () => {
    const names = Array.from({ length: MOST_SERVERS + 1 }, (_, index) => `server-${index}`);
    await retain(Object.fromEntries(names.map((name) => [`servers/${name}`, statusOf(name)])));
    const { stdout, stderr } = await run('--json', '--listen-secs', '13');
    const { servers, complete } = JSON.parse(stdout) as Record<'servers', object[]> &
      Record<'complete', boolean>;
    expect([servers.length, complete]).to.deep.equal([MOST_SERVERS, false]);
    expect(stderr).to.equal(
      'servers or devices are missing: at most 1000 servers and 10000 devices are shown\n',
    );
  });

  it('shows changes on a terminal until Ctrl-C', async function () {
    const terminal = Terminal.of(this, fleet());
    await terminal.shown(/^DEVICE .*HEARD BY, dBm\s*$/m);
    await connect();
    await terminal.shown(/1 server, 1 online; /);
    await endWatching(terminal);
  });

  it('reports a lost broker, and connects again when it is back', async function () {
    const terminal = Terminal.of(this, fleet());
    await terminal.shown(/^DEVICE/m);
    await broker.close();
    const lost = `the connection to the MQTT broker 127.0.0.1:${port} is lost: connecting again`;
    await terminal.shown(new RegExp(`\\[J${lost}\\s*$`, 'm'));
    keep(await startAedes(port));
    await connect();
    await endWatching(terminal);
  });

  it('forgets an unused device, and refuses used devices and servers', async () => {
    await connect();
    const forgetting = (name: string) => run('--forget', name);
    const used = await forgetting(DIE.toLowerCase());
    expect(used.status).to.equal(1);
    expect(used.stderr).to.equal(
      `device ${DIE} is connected to the server one, which is online: disconnect it there\n`,
    );
    expect((await forgetting('one')).stderr).to.equal('server one is online: stop it first\n');
    expect((await forgetting('two')).stderr).to.equal('nothing is retained of server two below airbench/\n');
    const formerDie = 'D1:CE:00:00:00:99';
    await retain({ [`servers/two/devices/${formerDie}/state`]: '{}' });
    const { status, stdout } = await forgetting(formerDie);
    expect([status, stdout.trim()]).to.deep.equal([
      0,
      `cleared airbench/dice/servers/two/devices/${formerDie}/state`,
    ]);
  });

  it('reports a broker that cannot be reached', async () => {
    await broker.close();
    const { status, stderr } = await run();
    expect(status).to.equal(1);
    expect(stderr).to.match(/^the MQTT broker 127\.0\.0\.1:\d+ cannot be used: .+ECONNREFUSED.+\n$/);
  });
});
