import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { forgetOutdated, putAside, readRuns, type RecordedRun } from '../../features/report/folder.js';
import { messagesOf, runOf, type Sample } from './sample-messages.js';

const ONE: Sample = { name: 'One', status: 'PASSED' };
const TWO: Sample = { name: 'Two', status: 'PASSED' };

interface Made {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('The folder of reports', () => {
  let reports: string;
  let profile: string;
  let messages: string;

  beforeEach(() => {
    reports = mkdtempSync(join(tmpdir(), 'airbench-reports-'));
    profile = join(reports, 'simulated');
    messages = join(profile, 'messages.ndjson');
    mkdirSync(profile);
  });

  afterEach(() => rmSync(reports, { recursive: true }));

  const runs = (): readonly RecordedRun[] => {
    const read = readRuns(profile);
    if (E.isLeft(read)) throw new Error(read.left);
    return read.right;
  };

  const makeReport = (folder = reports): Promise<Made> =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        ['dist/features/report/main.js', folder],
        (_error, stdout, stderr) => resolve({ status: child.exitCode, stdout, stderr }),
      );
    });

  it('puts the latest run aside for the next one', () => {
    writeFileSync(messages, messagesOf(1, [ONE, TWO]));
    putAside(profile);
    expect(existsSync(messages)).to.be.false;
    writeFileSync(messages, messagesOf(100, [TWO]));
    expect(runs().map(({ run }) => run.startedAt)).to.deep.equal([1500, 100_500]);
  });

  it('puts no run aside that broke off or never came to a scenario', () => {
    for (const text of ['{"meta":', messagesOf(1, [{ name: 'Unrun' }])]) {
      writeFileSync(messages, text);
      putAside(profile);
      expect(existsSync(messages)).to.be.true;
    }
  });

  it('keeps an earlier run as long as it holds the last result of a scenario', () => {
    const runsAside = [[ONE, TWO], [TWO]];
    for (const [at, samples] of runsAside.entries()) {
      writeFileSync(messages, messagesOf(at + 1, samples));
      putAside(profile);
    }
    const earlier = join(profile, 'earlier');
    forgetOutdated(runs(), runOf(100, [{ name: 'Three', status: 'PASSED' }]));
    expect(readdirSync(earlier)).to.have.lengthOf(2);
    forgetOutdated(runs(), runOf(100, [TWO]));
    expect(runs().map(({ run }) => run.startedAt)).to.deep.equal([1500]);
    forgetOutdated(runs(), runOf(100, [ONE, TWO]));
    expect(readdirSync(earlier)).to.be.empty;
  });

  it('becomes a page', async () => {
    writeFileSync(
      messages,
      messagesOf(1, [{ ...ONE, uri: 'features/dice/scan.feature', tags: ['@D-scan'] }]),
    );
    const { status, stdout } = await makeReport();
    expect(status).to.equal(0);
    expect(stdout.trim()).to.equal(join(reports, 'contract.html'));
    const page = readFileSync(join(reports, 'contract.html'), 'utf8');
    expect(/<tbody id="D-scan".*?<\/tbody>/s.exec(page)?.[0]).to.contain(' proven');
  });

  const whole = messagesOf(1, [ONE]);
  const wrong: readonly (readonly [string, string, string])[] = [
    ['cut off in a line', whole.slice(0, -20), 'line 10: is not JSON (the file is cut off there)'],
    ['cut off between lines', whole.slice(0, whole.lastIndexOf('\n{')), 'ends before its run did'],
    ['spoilt', whole.replace('{"meta"', '"meta"'), 'line 1: is not JSON'],
    ['of another form', whole.replace('"name":"One"', '"name":1'), 'line 4: pickle.name is not as'],
  ];
  for (const [what, text, sentence] of wrong) {
    it(`becomes a sentence and status 1 if messages are ${what}`, async () => {
      writeFileSync(messages, text);
      const { status, stderr } = await makeReport();
      expect(status).to.equal(1);
      expect(stderr.trim().split('\n')).to.have.lengthOf(1);
      expect(stderr).to.contain(messages).and.contain(sentence);
      expect(existsSync(join(reports, 'contract.html'))).to.be.false;
    });
  }

  it('becomes a sentence and status 1 if no run came to a scenario', async () => {
    writeFileSync(messages, '{"meta":{}}\n{"sour');
    expect(await makeReport()).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: `${reports} holds no messages of any profile: run npm run features first\n`,
    });
  });

  it('is no file', async () => {
    expect(await makeReport('package.json')).to.deep.equal({
      status: 1,
      stdout: '',
      stderr: 'package.json holds no messages of any profile: run npm run features first\n',
    });
  });
});
