import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { listenTo, portOf, post, request } from '../support/client.js';
import { ClockClient } from '../support/clock-fixture.js';
import { Program, endPrograms } from '../support/program.js';

const DIE = 'D1:CE:00:00:00:01';
const CLOCK = '58:2D:34:00:00:01';

describe('Devices that are named several times, by a flag and in a file', () => {
  let folder: string;
  let file: string;
  let control: number;
  let air: Program;
  let hci: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'airbench-'));
    file = join(folder, 'devices.json');
    air = Program.air(['--pace', 'fast']);
    control = portOf(await air.url('control API'));
    hci = await air.url('virtual radio');
  });
  afterEach(() => {
    endPrograms();
    rmSync(folder, { recursive: true });
  });

  const inRange = (address: string, in_range: boolean) =>
    request(control, `/air/${address}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ in_range }),
    });

  const connected = async (address: string): Promise<unknown> =>
    ((await request(control, `/devices/${address}`)).body as { connected: boolean }).connected;

  it('let the clock server end while they are away', async () => {
    await inRange(CLOCK, false);
    writeFileSync(file, JSON.stringify([{ address: CLOCK }]));
    const names = ['--connect', CLOCK, '--connect', CLOCK.toLowerCase(), '--devices', file];
    const server = Program.server('clock', hci, ['--data-dir', folder, ...names]);
    await server.url('clock server');
    expect(await server.signal('SIGTERM')).to.include({ status: 0, stderr: '' });
  });

  it('are left alone by the clock server once a client has disconnected them', async () => {
    await inRange(CLOCK, false);
    const names = ['--connect', `${CLOCK},${CLOCK}`];
    const server = Program.server('clock', hci, ['--data-dir', folder, ...names]);
    const client = new ClockClient(await listenTo(portOf(await server.url('clock server')), '/ws'));
    await client.succeed({ type: 'disconnect', address: CLOCK });
    await inRange(CLOCK, true);
    const received = await client.succeed({ type: 'scan', duration_secs: 2 });
    expect(received).to.be.an('array').that.has.lengthOf(3);
    expect(await connected(CLOCK)).to.equal(false);
    expect(await server.signal('SIGTERM')).to.include({ status: 0, stderr: '' });
  });

  it('are of the type named last to the dice server, and left alone once they are disconnected', async () => {
    writeFileSync(file, JSON.stringify([{ address: DIE, dice_type: 'd8' }]));
    const names = ['--connect', `${DIE}=d12`, '--connect', DIE, '--devices', file];
    const server = Program.server('dice', hci, names);
    const port = portOf(await server.url('dice server'));
    const connect = await post(port, '/api/connect', { address: DIE });
    const { session_id } = connect.body as { session_id: string };
    expect((await request(port, `/api/status/${session_id}`)).body).to.include({ dice_type: 'd12' });
    await post(port, '/api/disconnect', { session_id });
    expect((await post(port, '/api/scan?duration_secs=2', {})).body).to.have.lengthOf(3);
    expect(await connected(DIE)).to.equal(false);
    expect(await server.signal('SIGTERM')).to.include({ status: 0, stderr: '' });
  });

  it('let the dice server end while they are away', async () => {
    await inRange(DIE, false);
    const names = ['--connect', `${DIE}=d12`, '--connect', DIE];
    const server = Program.server('dice', hci, names);
    await server.url('dice server');
    expect(await server.signal('SIGTERM')).to.include({ status: 0, stderr: '' });
  });
});
