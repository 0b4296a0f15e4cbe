/** Runs throw-away features in a process of their own and reads what they leave behind. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { Program, endPrograms } from '../support/program.js';
import { parseXml, type Element } from '../support/xml.js';

const FEATURE = `
Feature: Thrown away

  @dice @D-led
  Scenario: A die <b>fails</b> & says why
    Given a connected die
    And a client of the event stream
    When I send POST "/api/led" with
      """
      {"session_id": "<session>", "led1": "FF8000", "led2": "0000FF"}
      """
    Then the answer is 418

  @clock @C-connect
  Scenario: A clock fails
    Given a connected clock
    Then it fails on purpose

  @dice @D-scan
  Scenario: A robot is missing
    Given the bench lacks a robot
    Then the answer is 200

  @dice @D-json
  Scenario: All is well
    When I send GET "/api/sessions"
    Then the answer is 200
`;

/** Steps outside the project find its Cucumber by address. */
const STEPS = `
import { Given, Then } from ${JSON.stringify(import.meta.resolve('@cucumber/cucumber'))};
Given('the bench lacks a robot', function () { this.log('this bench has no <robot>'); return 'skipped'; });
Then('it fails on purpose', () => { throw new Error('on purpose'); });
`;

interface Attachment {
  readonly body: string;
  readonly fileName?: string;
  readonly testCaseStartedId?: string;
}

interface Left {
  readonly status: number;
  readonly printed: string;
  readonly folder: string;
  /** Attachments of a scenario, the text of each by file name. */
  readonly attached: (scenario: string) => ReadonlyMap<string, string>;
  readonly junit: Element;
  readonly page: string;
  readonly statuses: readonly string[];
}

interface Envelope {
  readonly pickle?: { readonly id: string; readonly name: string };
  readonly testCase?: { readonly id: string; readonly pickleId: string };
  readonly testCaseStarted?: { readonly id: string; readonly testCaseId: string };
  readonly testStepFinished?: {
    readonly testCaseStartedId: string;
    readonly testStepResult: { readonly status: string };
  };
  readonly attachment?: Attachment & { readonly contentEncoding: string };
}

const folders: string[] = [];

const runFeature = async (profile: string, env: NodeJS.ProcessEnv = {}): Promise<Left> => {
  const folder = mkdtempSync(join(tmpdir(), 'airbench-report-'));
  folders.push(folder);
  writeFileSync(join(folder, 'thrown-away.feature'), FEATURE);
  writeFileSync(join(folder, 'steps.mjs'), STEPS);
  const reports = join(folder, 'reports');
  const args = [
    ...['node_modules/@cucumber/cucumber/bin/cucumber.js', '--import', join(folder, 'steps.mjs')],
    ...(profile === 'simulated' ? [] : ['--profile', profile]),
    join(folder, 'thrown-away.feature'),
  ];
  const [status, printed] = await new Promise<[number, string]>((resolve) => {
    const child = execFile(
      process.execPath,
      args,
      { env: { ...process.env, ...env, AIRBENCH_REPORTS: reports } },
      (_error, stdout, stderr) => resolve([child.exitCode ?? -1, stdout + stderr]),
    );
  });
  const at = join(reports, profile);
  const envelopes = readFileSync(join(at, 'messages.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Envelope);
  return {
    status,
    printed,
    folder: reports,
    attached: (scenario) => attachmentsOf(envelopes, scenario),
    junit: parseXml(readFileSync(join(at, 'junit.xml'), 'utf8')),
    page: readFileSync(join(reports, 'contract.html'), 'utf8'),
    statuses: casesOf(envelopes).map(({ id }) => worstOf(envelopes, id)),
  };
};

const casesOf = (envelopes: readonly Envelope[]): readonly { id: string; testCaseId: string }[] =>
  envelopes.flatMap(({ testCaseStarted }) => (testCaseStarted === undefined ? [] : [testCaseStarted]));

const worstOf = (envelopes: readonly Envelope[], id: string): string => {
  const statuses = envelopes.flatMap(({ testStepFinished }) =>
    testStepFinished?.testCaseStartedId === id ? [testStepFinished.testStepResult.status] : [],
  );
  return ['FAILED', 'SKIPPED', 'PASSED'].find((status) => statuses.includes(status)) ?? 'none';
};

const attachmentsOf = (envelopes: readonly Envelope[], scenario: string): ReadonlyMap<string, string> => {
  const pickle = envelopes.find((envelope) => envelope.pickle?.name === scenario)?.pickle?.id;
  const testCase = envelopes.find((envelope) => envelope.testCase?.pickleId === pickle)?.testCase?.id;
  const started = casesOf(envelopes).find(({ testCaseId }) => testCaseId === testCase)?.id;
  return new Map(
    envelopes.flatMap(({ attachment }): [string, string][] =>
      attachment?.fileName !== undefined && attachment.testCaseStartedId === started
        ? [[attachment.fileName, Buffer.from(attachment.body, encodingOf(attachment)).toString('latin1')]]
        : [],
    ),
  );
};

const encodingOf = ({ contentEncoding }: { readonly contentEncoding: string }): BufferEncoding =>
  contentEncoding === 'BASE64' ? 'base64' : 'utf8';

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

describe('A run of the features with failures', function () {
  this.timeout(60_000);
  let left: Left;

  before(async () => {
    left = await runFeature('simulated');
  });

  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it('ends with status 1, and keeps what the servers log off the terminal', () => {
    expect(left.status).to.equal(1);
    expect(left.printed).to.contain('2 failed, 1 skipped, 1 passed').and.not.contain('"level"');
  });

  it('attaches the transcripts', () => {
    const attached = left.attached(A_DIE);
    expect(attached.get('server.txt')).to.contain('POST /api/led');
    expect(attached.get('control.txt')).to.contain('POST /devices');
    expect(attached.has('stream.txt')).to.be.true;
    expect(left.attached(A_CLOCK).get('clock-socket.txt')).to.contain('"connect"');
  });

  it('attaches the models as the last step left them', () => {
    const [die] = modelsIn(left.attached(A_DIE));
    expect(die).to.deep.include({ connected: true, leds: ['FF8000', '0000FF'] });
    const [clock] = modelsIn(left.attached(A_CLOCK));
    expect(clock).to.include({ connected: true });
  });

  it("attaches both servers' logs of that scenario", () => {
    const attached = left.attached(A_DIE);
    const [die] = modelsIn(attached);
    expect(attached.get('dice-server.log')).to.contain('"path":"/api/led"').and.to.contain(die?.address);
    expect(attached.get('dice-server.log')).to.contain('"path":"/end-of-scenario-');
    expect(attached.get('clock-server.log')).to.contain('"path":"/end-of-scenario-');
    const [clock] = modelsIn(left.attached(A_CLOCK));
    expect(left.attached(A_CLOCK).get('clock-server.log')).to.contain(clock?.address);
  });

  it('attaches the HCI capture, its devices among the peers', () => {
    const attached = left.attached(A_DIE);
    const capture = Buffer.from(attached.get('air.btsnoop') ?? '', 'latin1');
    expect(capture.subarray(0, 8).toString('latin1')).to.equal('btsnoop\0');
    const [die] = modelsIn(attached);
    const peer = Buffer.from((die?.address ?? '').replaceAll(':', ''), 'hex').reverse();
    expect(capture.includes(peer)).to.be.true;
  });

  it('attaches nothing of that to a scenario that passed', () => {
    const others = [...left.attached('All is well').keys()];
    expect(others.filter((file) => !['run.json', 'device.json'].includes(file))).to.be.empty;
  });

  it('leaves JUnit XML with the numbers of the messages', () => {
    const count = (status: string): string =>
      String(left.statuses.filter((candidate) => candidate === status).length);
    expect(left.statuses).to.have.lengthOf(4);
    expect(left.junit.name).to.equal('testsuite');
    expect(left.junit.attributes).to.include({
      name: 'airbench simulated',
      tests: '4',
      failures: count('FAILED'),
      skipped: count('SKIPPED'),
      errors: '0',
    });
    for (const { name, attributes } of left.junit.children) {
      expect(name).to.equal('testcase');
      expect(attributes).to.include.keys('classname', 'name');
      expect(Number(attributes['time'])).to.be.at.least(0);
    }
  });

  it('says in the JUnit XML why a scenario failed or was skipped', () => {
    const named = (scenario: string): Element | undefined =>
      left.junit.children.find(({ attributes }) => attributes['name'] === scenario)?.children[0];
    expect(named(A_DIE)).to.have.property('name', 'failure');
    expect(named(A_CLOCK)?.text).to.contain('on purpose');
    expect(named('A robot is missing')).to.include({ name: 'skipped', text: 'this bench has no <robot>' });
  });

  it('shows its lines red on the page of the contracts, everything escaped', () => {
    const line = (id: string): string =>
      new RegExp(`<tbody id="${id}".*?</tbody>`, 's').exec(left.page)?.[0] ?? '';
    expect(line('D-led')).to.contain('class="failing"').and.contain('✗').and.contain(' failing');
    expect(line('D-led')).to.contain('A die &lt;b&gt;fails&lt;/b&gt; &amp; says why');
    expect(line('C-connect')).to.contain('on purpose');
    expect(line('D-scan')).to.contain('skipped').and.contain('this bench has no &lt;robot&gt;');
    expect(line('D-json')).to.contain(' proven');
    expect(line('D-ws')).to.contain('not run').and.not.contain('proven');
  });

  it('has a page that loads nothing from elsewhere and tells of the run', () => {
    expect(left.page).to.not.match(/<(?:script|link|img|iframe)|url\(|@import|https?:/);
    expect(left.page).to.contain('href="simulated/features.html"');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    for (const text of [version, process.version, 'hci0 ', 'firmware v04', 'Seed']) {
      expect(left.page).to.contain(text);
    }
  });
});

describe('A run of the features against servers that were up before', function () {
  this.timeout(60_000);

  after(endPrograms);

  it('says where their logs are', async () => {
    const free = ['dice-port', 'clock-port', 'control-port', 'hci-port'].flatMap((flag) => [
      `--${flag}`,
      '0',
    ]);
    const rig = Program.start(['rig', '--pace', 'fast', '--dice', '0', '--clocks', '0', ...free]);
    const left = await runFeature('attach', {
      DICE_URL: await rig.url('dice server'),
      CLOCK_URL: await rig.url('clock server'),
      CONTROL_URL: await rig.url('control API'),
    });
    expect(left.status).to.equal(1);
    const attached = left.attached(A_DIE);
    for (const file of ['dice-server.log', 'clock-server.log']) {
      expect(attached.get(file)).to.contain('its log is where it was started');
    }
    expect(modelsIn(attached)).to.have.lengthOf(1);
    expect(left.page).to.contain('href="attach/features.html"');
    expect((await rig.signal('SIGINT')).status).to.equal(0);
  });
});
