import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { newFolder } from '../support/folders.js';
import { Program, endPrograms } from '../../simulators/testing/internal/program.js';
import { requireUnix } from '../support/require.js';
import type { Element } from '../support/xml.js';
import { runFeature, TOKEN, urlFlags, type Outcome } from './thrown-away.js';

interface Models {
  readonly devices: readonly {
    readonly address: string;
    readonly connected: boolean;
    readonly leds?: unknown;
  }[];
}

const A_DIE = 'A die <b>fails</b> & says why';
const A_CLOCK = 'A clock fails';

const modelsIn = (attached: ReadonlyMap<string, string>): Models['devices'] =>
  (JSON.parse(attached.get('models.json') ?? '{}') as Models).devices;

describe('A run of the features with failures', () => {
  let outcome: Outcome;

  before(async () => {
    outcome = await runFeature('simulated');
  });

  it('ends with status 1, and does not print the logs of the servers', () => {
    expect(outcome.status).to.equal(1);
    expect(outcome.printed).to.contain('2 failed, 1 skipped, 1 passed').and.not.contain('"level"');
  });

  it('says the request, the field and the answer, without a stack', () => {
    expect(outcome.printed).to.match(
      /POST \/api\/led .*\n *status: expected 418, got 200\n *answered 200 .*\n *✔ After/,
    );
  });

  it('begins the lines of transcripts and logs with the time in UTC', () => {
    const attached = outcome.attached(A_DIE);
    for (const file of ['server.txt', 'control.txt', 'dice-server.log']) {
      const lines = attached.get(file)?.split('\n') ?? [];
      expect(lines).to.not.be.empty;
      for (const line of lines) expect(line, file).to.match(/^[\d-]{10}T[\d:.]{12}Z /);
    }
  });

  it('attaches the transcripts', () => {
    const attached = outcome.attached(A_DIE);
    expect(attached.get('server.txt')).to.contain('POST /api/led');
    expect(attached.get('control.txt')).to.contain('POST /devices');
    expect(attached.has('stream.txt')).to.be.true;
    expect(outcome.attached(A_CLOCK).get('clock-socket.txt')).to.contain('"connect"');
  });

  it('attaches the models as the last step left them', () => {
    const [die] = modelsIn(outcome.attached(A_DIE));
    expect(die).to.deep.include({ connected: true, leds: ['FF8000', '0000FF'] });
    const [clock] = modelsIn(outcome.attached(A_CLOCK));
    expect(clock).to.include({ connected: true });
  });

  it("attaches both servers' logs of that scenario", () => {
    const attached = outcome.attached(A_DIE);
    const [die] = modelsIn(attached);
    expect(attached.get('dice-server.log')).to.contain('"path":"/api/led"').and.to.contain(die?.address);
    expect(attached.get('dice-server.log')).to.contain('"path":"/end-of-scenario-');
    expect(attached.get('clock-server.log')).to.contain('"path":"/end-of-scenario-');
    const [clock] = modelsIn(outcome.attached(A_CLOCK));
    expect(outcome.attached(A_CLOCK).get('clock-server.log')).to.contain(clock?.address);
  });

  it('attaches the HCI capture with the devices of the scenario', () => {
    const attached = outcome.attached(A_DIE);
    const capture = Buffer.from(attached.get('air.btsnoop') ?? '', 'latin1');
    expect(capture.subarray(0, 8).toString('latin1')).to.equal('btsnoop\0');
    const [die] = modelsIn(attached);
    const peer = Buffer.from((die?.address ?? '').replaceAll(':', ''), 'hex').reverse();
    expect(capture.includes(peer)).to.be.true;
  });

  it('attaches no evidence to a passed scenario', () => {
    const files = [...outcome.attached('All is well').keys()];
    expect(files.filter((file) => !['run.json', 'device.json'].includes(file))).to.be.empty;
  });

  it('leaves JUnit XML with the numbers of the messages', () => {
    expect([...outcome.statuses].sort()).to.deep.equal(['failed', 'failed', 'passed', 'skipped']);
    expect(outcome.junit.name).to.equal('testsuite');
    expect(outcome.junit.attributes).to.include({
      name: 'airbench simulated',
      tests: '4',
      failures: '2',
      skipped: '1',
      errors: '0',
    });
    const [properties, ...cases] = outcome.junit.children;
    expect(properties?.children[0]?.attributes).to.deep.equal({ name: 'verdict', value: 'not accepted' });
    for (const { name, attributes } of cases) {
      expect(name).to.equal('testcase');
      expect(attributes).to.include.keys('classname', 'name');
      expect(Number(attributes['time'])).to.be.at.least(0);
    }
  });

  it('writes the reasons of failures and skips to the JUnit XML', () => {
    const resultOf = (scenario: string): Element | undefined =>
      outcome.junit.children.find(({ attributes }) => attributes['name'] === scenario)?.children[0];
    expect(resultOf(A_DIE)).to.have.property('name', 'failure');
    expect(resultOf(A_CLOCK)?.text).to.contain('on purpose');
    expect(resultOf('A robot is missing')).to.deep.include({
      name: 'skipped',
      attributes: { message: 'this bench has no <robot>' },
    });
  });

  it('shows its failing lines on the page, with escaped texts', () => {
    const line = (id: string): string =>
      new RegExp(`<tbody id="${id}".*?</tbody>`, 's').exec(outcome.page)?.[0] ?? '';
    expect(line('D-led')).to.contain('class="failing"').and.contain('✗').and.contain(' failing');
    expect(line('D-led')).to.contain('A die &lt;b&gt;fails&lt;/b&gt; &amp; says why');
    expect(line('C-connect')).to.contain('on purpose');
    expect(line('D-scan')).to.contain('skipped').and.contain('this bench has no &lt;robot&gt;');
    expect(line('D-json')).to.contain(' verified');
    expect(line('D-ws')).to.contain(' unverified');
  });

  it('masks the tokens of servers and clocks, in packets too', () => {
    const capture = Buffer.from(outcome.attached(A_CLOCK).get('air.btsnoop') ?? '', 'latin1').toString('hex');
    const tokens = [...capture.matchAll(/12.{4}110[12](.{32})/g)].map(([, token]) => token);
    // Both ends of the link record both halves.
    expect(tokens).to.deep.equal(Array(4).fill('2a'.repeat(16)));
    expect(outcome.attached(A_CLOCK).get('models.json')).to.contain('"token": "[masked]"');
    for (const text of [outcome.messages, outcome.page, JSON.stringify(outcome.junit)]) {
      expect(text).to.contain('on purpose, with [masked]').and.not.contain(TOKEN);
    }
  });

  it('has a page that loads no other file', () => {
    expect(outcome.page).to.not.match(/<(?:link|img|iframe)|src=|url\(|@import|href="https?:/);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    for (const text of [version, process.version, 'hci0 ', 'v04', 'Seed']) {
      expect(outcome.page).to.contain(text);
    }
  });
});

describe('A run of the features without its own rig', () => {
  after(endPrograms);

  const startRig = (dice: string): Program =>
    Program.rig(['--pace', 'fast', '--clocks', '0', '--dice', dice]);

  it('names the places of the logs of servers that are up', async function () {
    requireUnix(this, 'signals to end a rig by');
    const rig = startRig('0');
    const outcome = await runFeature('attach', await urlFlags(rig));
    expect(outcome.status).to.equal(1);
    const attached = outcome.attached(A_DIE);
    for (const file of ['dice-server.log', 'clock-server.log']) {
      expect(attached.get(file)).to.contain('it is on the terminal that started the');
    }
    expect(modelsIn(attached)).to.have.lengthOf(1);
    expect((await rig.signal('SIGINT')).status).to.equal(0);
  });

  it('attaches the logs of servers that it starts', async function () {
    requireUnix(this, 'signals to end a rig by');
    const rig = startRig('1');
    const bench = join(newFolder(), 'bench.json');
    const hci = await rig.url('virtual radio');
    const die = { address: 'D1:CE:00:00:00:01', name: 'GoDice_000001_R_v04' };
    writeFileSync(bench, JSON.stringify({ servers: { dice: { hci } }, dice: [die] }));
    const outcome = await runFeature('physical', ['--bench', bench]);
    const attached = outcome.attached(A_DIE);
    expect(attached.get('dice-server.log')).to.contain('"path":"/api/led"').and.to.contain(die.address);
    expect(attached.get('air.txt')).to.contain('There is no HCI capture');
    expect(outcome.printed).to.not.contain('"level"');
    expect((await rig.signal('SIGINT')).status).to.equal(0);
  });
});
