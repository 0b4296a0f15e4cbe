import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Api, Control } from '../../simulators/testing/index.js';
import { Program, endPrograms } from '../../simulators/testing/internal/program.js';
import { newFolder } from '../support/folders.js';
import { requireUnix } from '../support/require.js';
import { FILE_HEADER, recordsIn } from '../../src/bytes/btsnoop.js';
import { parseXml, type Element } from '../support/xml.js';

/** A Read PHY of a missing link (Core 5.4 Vol 4 Part E 7.8.47). */
const READ_PHY = Buffer.from('013020024000', 'hex');

/** Sends one command after another, as a host at the H4 endpoint; each waits for its answer. */
const talk = async (hci: string, commands: readonly Buffer[]): Promise<void> => {
  const stream = connect({ host: '127.0.0.1', port: Number(hci.split(':').at(-1)) });
  for (const command of commands) {
    stream.write(command);
    await once(stream, 'data');
  }
  stream.destroy();
};

/** The frame with this number in Wireshark: its kind and its bytes. */
const frame = (file: string, number: number): { readonly kind: number; readonly hex: string } => {
  const { flags, data } = [...recordsIn(readFileSync(file).subarray(FILE_HEADER))][number - 1] ?? {};
  return { kind: (flags ?? 0) & 0xffff, hex: data?.toString('hex') ?? '' };
};

const cases = (file: string): { readonly suite: Element; readonly failed: readonly Element[] } => {
  const suite = parseXml(readFileSync(file, 'utf8'));
  return { suite, failed: suite.children.filter(({ children }) => children[0]?.name === 'failure') };
};

describe('Reports of a strict air', () => {
  let folder: string;
  let junit: string;
  let page: string;
  beforeEach(function () {
    requireUnix(this, 'signals to end a program by');
    folder = newFolder();
    [junit, page] = [join(folder, 'report.xml'), join(folder, 'report.html')];
  });
  afterEach(endPrograms);

  const strictAir = (...args: readonly string[]): Program =>
    Program.air(['--strict', '--pace', 'fast', '--fail-on-violation', '--report', junit, ...args]);

  it('name the violations of a host and their first packet, and end the program with status 1', async () => {
    const trace = join(folder, 'air.btsnoop');
    const air = strictAir('--report', page, '--trace', trace);
    await talk(await air.url('virtual radio'), [READ_PHY, READ_PHY, READ_PHY]);
    const { status, stderr } = await air.signal('SIGTERM');
    expect(status).to.equal(1);
    expect(stderr.trim().split('\n').at(-1)).to.equal('hosts broke the Core specification: 3 violations');

    const { suite, failed } = cases(junit);
    expect(suite.attributes).to.include({ tests: '80', failures: '1', errors: '0' });
    expect(failed.map(({ attributes }) => attributes['name'])).to.deep.equal([
      'HCI_LE_Read_PHY (Vol 4 Part E 7.8.47)',
    ]);
    const [failure] = failed.flatMap(({ children }) => children);
    const message = 'HCI_LE_Read_PHY: there is no link with Connection_Handle 0x0040';
    expect(failure?.attributes['message']).to.equal(`3 violations of Vol 4 Part E 7.8.47: ${message}`);
    expect(failure?.text).to.contain(`hci0: ${message}\n  3 times, first: frame `).and.to.contain(trace);
    const number = Number(/frame (\d+) of/.exec(failure?.text ?? '')?.[1]);
    expect(frame(trace, number)).to.deep.equal({ kind: 2, hex: '3020024000' });

    const html = readFileSync(page, 'utf8');
    expect(html)
      .to.contain('3 violations of 1 rule')
      .and.to.contain(`frame ${number} of ${trace}`)
      .and.to.contain(message);
  });

  it('have no violation of the dice server, even after a reset of the world', async () => {
    const air = strictAir('--report', page);
    const control = new Control(await air.url('control API'));
    const dice = Program.server('dice', await air.url('virtual radio'));
    const server = new Api(await dice.url('dice server'));
    await server.post('/api/scan?duration_secs=0.2');
    await server.post('/api/connect', { address: 'D1:CE:00:00:00:01' });
    await control.reset();
    expect((await dice.signal('SIGTERM')).status).to.equal(0);
    expect(await air.signal('SIGINT')).to.include({ status: 0, stderr: '' });
    const { suite, failed } = cases(junit);
    expect(failed).to.deep.equal([]);
    const passed = suite.children.filter(({ children }) => children.length === 0);
    expect(passed.map(({ attributes }) => attributes['name'])).to.include.members([
      'Fragments make up L2CAP packets (Vol 3 Part A 7.2.1)',
      'HCI_LE_Create_Connection (Vol 4 Part E 7.8.12)',
    ]);
    expect(readFileSync(page, 'utf8')).to.contain('No violation: ');
  });

  it('keep violations through a reset of the world, and name packets if there is no trace', async () => {
    const air = strictAir();
    await talk(await air.url('virtual radio'), [READ_PHY]);
    const control = new Control(await air.url('control API'));
    const { violations } = (await control.get('/violations')) as { violations: { packet: number }[] };
    await control.reset();
    expect((await air.signal('SIGTERM')).status).to.equal(1);
    const text = cases(junit).failed[0]?.children[0]?.text;
    expect(text).to.contain(`1 time, first: packet ${violations[0]?.packet}, `);
  });

  it('skip all rules with a message if no host has sent packets', async () => {
    writeFileSync(junit, 'of an earlier run');
    const air = strictAir();
    await air.url('control API');
    expect(readFileSync(junit, 'utf8')).to.equal('');
    expect(await air.signal('SIGTERM')).to.include({
      status: 0,
      stderr: 'no host has sent anything: nothing was checked\n',
    });
    expect(cases(junit).suite.attributes).to.include({ failures: '0', skipped: '80' });
  });
});
