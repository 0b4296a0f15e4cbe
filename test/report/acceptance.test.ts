import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import {
  rewriteAcceptance,
  signOff,
  writeAcceptance,
  type Written,
} from '../../features/report/acceptance.js';
import { compare, readCompared } from '../../features/report/compare.js';
import type { DeviceFacts, RunFacts } from '../../features/report/facts.js';
import { left, right } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { messagesOf, type Sample } from './sample-messages.js';

const SCAN: Sample = { name: 'Scan', tags: ['@D-scan'], status: 'PASSED' };
const BROKEN: Sample = {
  ...{ name: '<script>alert(1)</script>', tags: ['@D-led'], status: 'FAILED' },
  reason: '<img src=x onerror="y">\n    at stack',
};

let reports: string;

beforeEach(() => {
  reports = newFolder();
});

const record = (
  samples: readonly Sample[],
  {
    bench = 'simulated',
    at = 1,
    facts = {},
  }: { bench?: string; at?: number; facts?: Partial<RunFacts> } = {},
): string => {
  mkdirSync(join(reports, bench), { recursive: true });
  writeFileSync(join(reports, bench, 'messages.ndjson'), messagesOf(at, samples, facts));
  return join(reports, bench);
};

const textOf = ({ file }: Written): string => readFileSync(file, 'utf8').replace(/\s+/g, ' ');

/** The page with a run alone. */
const pageOf = (samples: readonly Sample[], facts: Partial<RunFacts> = {}): string => {
  record(samples, { facts });
  return textOf(right(writeAcceptance(reports, 'simulated')));
};

/** A part of the page. */
const partOf = (page: string, id: string, element = 'section'): string =>
  new RegExp(`<${element}[^>]* id="${id}".*?</${element}>`, 's').exec(page)?.[0] ?? '';

const device = (more: Partial<DeviceFacts>): string =>
  JSON.stringify({
    ...{
      kind: 'dice',
      address: 'D1',
      name: null,
      maker: 'GoDice',
      firmware: null,
      battery: null,
      rssi: null,
    },
    ...{ met: true, ...more },
  });

describe('The page for acceptance', () => {
  it('escapes names, messages and reasons', () => {
    const page = pageOf([SCAN, BROKEN]);
    expect(page).to.not.contain('<script>alert').and.not.contain('<img');
    expect(page).to.contain('&lt;script&gt;alert(1)&lt;/script&gt;').and.contain('&lt;img src=x');
  });

  it('has the verdict with its reasons on top', () => {
    const page = pageOf([SCAN, BROKEN]);
    const head = page.slice(0, page.indexOf('<section'));
    expect(head)
      .to.contain('Not accepted')
      .and.contain('1 scenario failed')
      .and.contain('1 claimed line fails');
    expect(head).to.contain('href="#D-led"');
    expect(partOf(page, 'rules')).to.contain('a claimed line was not verified by the run');
  });

  it('shows the state of each line, and its scenarios', () => {
    const page = pageOf([SCAN, BROKEN]);
    expect(partOf(page, 'D-scan', 'tbody'))
      .to.contain(' verified')
      .and.contain('Scan');
    expect(partOf(page, 'D-led', 'tbody'))
      .to.contain('class="failing"')
      .and.contain(' failed');
    expect(partOf(page, 'D-ws', 'tbody')).to.contain(' unverified');
  });

  it('lists scenarios of no line', () => {
    expect(partOf(pageOf([SCAN, { name: 'History', status: 'PASSED' }]), 'beyond')).to.contain('History');
  });

  it('claims the lines of the profile seed alone that state something and have a scenario for it', () => {
    const page = pageOf(
      [
        { ...SCAN, tags: ['@D-scan', '@D-limits', '@seed'] },
        { ...BROKEN, tags: ['@D-led'] },
      ],
      {
        profile: 'seed',
      },
    );
    expect(partOf(page, 'D-scan', 'tbody')).to.contain(' verified');
    for (const tag of ['D-limits', 'D-led', 'D-ws'])
      expect(partOf(page, tag, 'tbody')).to.contain('not claimed');
  });

  it('has the evidence under the step that failed', () => {
    const page = pageOf([
      { ...BROKEN, files: { 'server.txt': 'GET /x', 'air.btsnoop': Buffer.from('btsnoop') } },
    ]);
    const failed = partOf(page, 'simulated-failed');
    expect(failed).to.match(/failed<\/span ?> Then it works .*&lt;img.*<summary ?>server.txt.*GET \/x/);
    expect(failed)
      .to.contain('href="data:application/octet-stream;base64,YnRzbm9vcA=="')
      .and.contain('7 bytes');
  });

  it('shows both attempts of a flaky scenario', () => {
    const flaky = partOf(pageOf([{ ...SCAN, before: 'the first time' }]), 'simulated-flaky');
    expect(flaky).to.contain('Attempt 1').and.contain('the first time').and.contain('Attempt 2');
  });

  it('groups skipped scenarios by reason', () => {
    const skipped = partOf(
      pageOf([SCAN, ...['A', 'B'].map((name): Sample => ({ name, status: 'SKIPPED', reason: 'no robot' }))]),
      'simulated-skipped',
    );
    expect(skipped).to.match(/skipped 2.* no robot/);
  });

  it('names the tested servers, station, operator and times', () => {
    const about = { name: 'airbench dice server', version: '9.9.9', commit: 'abc', node: 'v22.1.0' };
    const files = { 'device.json': device({ firmware: 'v04', battery: 80, rssi: -61 }) };
    const page = pageOf([{ ...SCAN, files }], {
      operator: 'Ada',
      selection: ['--tags', '@D-led'],
      servers: [
        {
          name: 'dice server',
          url: 'http://a',
          about: { ...about, started: '2026-03-01T09:05:00Z', radios: ['hci1'] },
        },
        { name: 'clock server', url: 'http://b', about: null },
      ],
    });
    const tested = partOf(page, 'tested');
    for (const text of [
      'airbench dice server 9.9.9',
      'abc',
      '2026-03-01 09:05',
      'hci1',
      'http://b',
      'unknown',
    ])
      expect(tested).to.contain(text);
    for (const text of ['D1', 'v04', '80 %', '-61 dBm', 'Ada', '--tags @D-led', 'airbench 1.2.3'])
      expect(tested).to.contain(text);
  });

  it('lists a device once, as it was seen last, and a device that no server heard', () => {
    const files = (more: Partial<DeviceFacts>) => ({ files: { 'device.json': device(more) } });
    const tested = partOf(
      pageOf([
        { ...SCAN, ...files({ met: false }) },
        { ...SCAN, name: 'Two', ...files({ firmware: 'v05' }) },
        { ...SCAN, name: 'Three', ...files({ address: 'D2', met: false }) },
      ]),
      'tested',
    );
    expect(tested.match(/D1/g)).to.have.lengthOf(1);
    expect(tested)
      .to.contain('v05')
      .and.match(/D2.*data-head="Heard".*no</);
  });

  it('lists one virtual device of each kind, maker and firmware', () => {
    const tested = partOf(
      pageOf(
        ['D1', 'D2'].map((address) => ({
          ...SCAN,
          name: address,
          files: { 'device.json': device({ address }) },
        })),
        { seed: 7 },
      ),
      'tested',
    );
    expect(tested).to.contain('D2').and.not.contain('D1');
  });

  it('has the remarks of the operator, with their scenarios', () => {
    const files = { 'note.json': '{"text":"21.5 °C"}' };
    expect(partOf(pageOf([{ ...SCAN, files }]), 'remarks')).to.match(/21\.5 °C .*at “Scan”/);
  });

  it('has the findings of the run in its head', () => {
    const page = pageOf([{ ...SCAN, files: { 'finding.json': '{"text":"restarted"}' } }]);
    expect(page.slice(0, page.indexOf('<section'))).to.contain('<b>restarted</b>');
  });

  it('names the tested software in its head, and says that a simulation was tested', () => {
    const facts = { servers: [{ name: 'dice server', url: 'http://a', about: null }] } as const;
    const head = (more: Partial<RunFacts>): string => {
      const page = pageOf([SCAN], { ...facts, servers: [...facts.servers], ...more });
      return page.slice(0, page.indexOf('<section'));
    };
    expect(head({ seed: 7 }))
      .to.contain('Tested: dice server at http://a, of unknown version.')
      .and.contain('no real device was tested');
    expect(head({})).to.not.contain('no real device');
  });

  it('has failures and the signature before the lines, and counts scenarios without a result', () => {
    const page = pageOf([BROKEN, { name: 'Two', tags: ['@D-led'] }, { name: 'Three', tags: ['@D-led'] }]);
    const places = ['simulated-failed', 'signature', 'dice'].map((id) => page.indexOf(`<section id="${id}"`));
    expect(places)
      .to.deep.equal([...places].sort((a, b) => a - b))
      .and.not.include(-1);
    expect(partOf(page, 'D-led', 'tbody')).to.match(/0 of 3 passed.*2 scenarios not run.*Two.*Three/);
  });

  it('opens the last failed attempt alone', () => {
    const failed = partOf(pageOf([{ ...BROKEN, before: 'the first time' }]), 'simulated-failed');
    expect(failed).to.match(/<details ?> ?<summary ?>Attempt 1.*<details open ?> ?<summary ?>Attempt 2/);
  });

  it('has the verdict of every bench, and the newest run in its head', () => {
    record([BROKEN], { bench: 'attach', at: 5 });
    record([SCAN], { at: 100 });
    const written = right(rewriteAcceptance(reports));
    expect(written).to.include({ bench: 'simulated' });
    expect(written.judgement.verdict).to.equal('partly verified');
    expect(partOf(textOf(written), 'summary')).to.match(/simulated.*partly verified.*attach.*not accepted/);
    expect(textOf(written)).to.contain('Failed scenarios of the latest run on the bench attach');
  });

  it('has the verdict and the share of unverified lines on top of a run of a few lines', () => {
    const page = pageOf([SCAN]);
    expect(page.slice(0, page.indexOf('<section')))
      .to.contain('Partly verified')
      .and.match(/\d\d of \d\d+ claimed lines are not verified by this run/);
    expect(partOf(page, 'signature')).to.contain('the verdict “partly verified”');
  });

  it('names a bench with damaged messages', () => {
    record([SCAN]);
    mkdirSync(join(reports, 'attach'));
    writeFileSync(join(reports, 'attach', 'messages.ndjson'), 'x{"testCaseStarted"\n\n');
    expect(partOf(textOf(right(writeAcceptance(reports, 'simulated'))), 'summary')).to.contain(
      'line 1: is not JSON',
    );
    expect(left(rewriteAcceptance(reports))).to.contain('line 1: is not JSON');
  });
});

describe('A signature', () => {
  it('fills in name, time and remark, and the remark counts', () => {
    record([SCAN]);
    const page = textOf(right(signOff(reports, 'simulated', { name: 'Ada <b>', remark: 'for the lab' })));
    expect(partOf(page, 'signature')).to.contain('Ada &lt;b&gt;').and.contain('for the lab');
    expect(page.slice(0, page.indexOf('<section'))).to.contain('for the lab');
  });

  it('does not hold for a later run', () => {
    record([SCAN]);
    right(signOff(reports, 'simulated', { name: 'Ada', remark: 'for the lab' }));
    record([SCAN], { at: 100 });
    const page = textOf(right(rewriteAcceptance(reports)));
    expect(partOf(page, 'signature')).to.contain('Ada signed for an earlier run');
    expect(page).to.not.contain('for the lab');
  });

  it('names the signature for the same run that it replaces', () => {
    record([SCAN]);
    const signed = (name: string) => right(signOff(reports, 'simulated', { name, remark: 'for the lab' }));
    expect(signed('Ada').replaced).to.be.undefined;
    expect(signed('Bob').replaced).to.include({ name: 'Ada', remark: 'for the lab' });
    record([SCAN], { at: 100 });
    expect(signed('Ada').replaced).to.be.undefined;
  });

  it('is for all parts of a resumed run', () => {
    const folder = record([SCAN, { name: 'Two', status: 'PASSED', unfinished: true }]);
    mkdirSync(join(folder, 'earlier'));
    renameSync(join(folder, 'messages.ndjson'), join(folder, 'earlier', '1.ndjson'));
    record([{ name: 'Two', status: 'PASSED' }], { at: 100, facts: { continues: 1500 } });
    right(signOff(reports, 'simulated', { name: 'Ada', remark: 'for the lab' }));
    expect(textOf(right(rewriteAcceptance(reports)))).to.contain('for the lab');
    writeFileSync(join(folder, 'earlier', '1.ndjson'), messagesOf(1, [SCAN]));
    expect(textOf(right(rewriteAcceptance(reports)))).to.contain('Ada signed for an earlier run');
  });

  it('is refused for a bench without a run', () => {
    record([SCAN]);
    expect(left(signOff(reports, 'attach', { name: 'Ada', remark: '' }))).to.equal(
      `${join(reports, 'attach')} holds no run`,
    );
  });

  it('is an error if its file is damaged', () => {
    writeFileSync(join(record([SCAN]), 'sign-off.json'), '{"name":1}');
    expect(left(rewriteAcceptance(reports))).to.contain('sign-off.json is not a sign-off');
  });
});

describe('The comparison of two runs', () => {
  const compared = (before: readonly Sample[], after: readonly Sample[], facts: Partial<RunFacts> = {}) =>
    compare(
      right(readCompared(record(before, { bench: 'a' }))),
      right(readCompared(record(after, { bench: 'b', at: 100, facts }))),
    );

  it('says that nothing changed', () => {
    const { lines, worse } = compared([SCAN], [SCAN]);
    expect(lines.at(-1)).to.equal('no difference');
    expect(worse).to.be.false;
  });

  it('names the lines and scenarios that got worse', () => {
    const failed: Sample = { ...SCAN, status: 'FAILED', reason: 'Error: dark\n    at x' };
    const { lines, worse } = compared([SCAN], [failed]);
    expect(lines.join('\n')).to.match(/@D-scan .*: verified → failing/);
    expect(lines).to.include('  newly failing: Scan (features/dice/scan.feature:3): Error: dark');
    expect(worse).to.be.true;
  });

  it('tells mended, flaky, skipped, new and gone scenarios apart', () => {
    const samples = (...all: readonly (readonly [string, Partial<Sample>])[]): readonly Sample[] =>
      all.map(([name, more]) => ({ name, status: 'PASSED', ...more }));
    const { lines } = compared(
      samples(['A', { status: 'FAILED' }], ['B', {}], ['C', {}], ['D', {}]),
      samples(['A', {}], ['B', { before: 'once' }], ['C', { status: 'SKIPPED' }], ['E', {}]),
    );
    const changes = lines.map((line) => line.replace(/ \(.*/, '').trim());
    for (const change of ['mended: A', 'newly flaky: B', 'newly skipped: C', 'gone: D', 'new: E'])
      expect(changes).to.include(change);
  });

  it('names other versions and selections, which are no worse', () => {
    const { lines, worse } = compared([SCAN], [SCAN], {
      tester: { airbench: '2.0.0', commit: 'abc', node: 'v20', system: 'Linux' },
    });
    expect(lines).to.include('  tester’s airbench: 1.2.3 → 2.0.0 (abc)');
    expect(worse).to.be.false;
  });

  it('takes the newest run of a folder of reports', () => {
    record([BROKEN], { bench: 'attach', at: 5 });
    record([SCAN], { at: 100 });
    expect(right(readCompared(reports)).title).to.equal(join(reports, 'simulated'));
  });

  for (const [what, path, message] of [
    ['is missing', () => join(reports, 'gone'), 'does not exist'],
    ['holds no messages', () => reports, 'is no folder of reports, folder of a bench or file of messages'],
    ['is no file of messages', () => 'package.json', 'package.json, line 1: is not JSON'],
  ] as const)
    it(`is refused if a run ${what}`, () => {
      expect(left(readCompared(path()))).to.contain(message);
    });
});
