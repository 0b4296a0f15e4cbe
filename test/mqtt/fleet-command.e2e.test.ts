import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { DIE, openFleetStage } from '../support/fleet-stage.js';
import { keeper } from '../support/keep.js';
import { Consumer, startAedes, type EmbeddedBroker } from '../support/mqtt.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { CTRL_C, Terminal } from '../support/terminal.js';

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
    await consumer.on(`airbench/dice/devices/${DIE}/availability`);
  };

  const endWatching = async (terminal: Terminal): Promise<void> => {
    await terminal.shown(shown);
    terminal.type(CTRL_C);
    expect((await terminal.program.ended).status).to.equal(0);
  };

  it('prints servers, devices and owners once as JSON', async () => {
    await connect();
    const { status, stdout, stderr } = await run('--json', '--listen-secs', '0.5');
    expect(status).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({
      servers: [{ kind: 'dice', name: 'one', status: 'online' }],
      devices: [{ kind: 'dice', address: DIE, label: null, availability: 'online', owner: 'one', heard: [] }],
      complete: false,
    });
    expect(stderr).to.equal('devices may be missing: servers report every 10 s which devices they hear\n');
  });

  it('shows a device of a server that was killed as offline', async () => {
    const killed = { name: 'one', instance: 'first' };
    await retain({
      'servers/one': JSON.stringify({ status: 'offline', ...killed, version: '0.1.0' }),
      [`devices/${DIE}/owner`]: JSON.stringify({ ...killed, state: 'owned', seq: 1, epoch: 1 }),
      [`devices/${DIE}/availability`]: 'online',
    });
    const { stdout } = await run('--json', '--listen-secs', '0.5');
    expect(JSON.parse(stdout)).to.deep.include({
      servers: [{ kind: 'dice', name: 'one', status: 'offline' }],
      devices: [{ kind: 'dice', address: DIE, label: null, availability: 'offline', owner: null, heard: [] }],
    });
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
    await retain({ [`devices/${formerDie}/state`]: '{}' });
    const { status, stdout } = await forgetting(formerDie);
    expect([status, stdout.trim()]).to.deep.equal([0, `cleared airbench/dice/devices/${formerDie}/state`]);
  });

  it('reports a broker that cannot be reached', async () => {
    await broker.close();
    const { status, stderr } = await run();
    expect(status).to.equal(1);
    expect(stderr).to.match(/^the MQTT broker 127\.0\.0\.1:\d+ cannot be used: .+ECONNREFUSED.+\n$/);
  });
});
