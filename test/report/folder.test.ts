import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import {
  forgetOutdated,
  publish,
  publishInterrupted,
  readRuns,
  type RecordedRun,
} from '../../features/report/folder.js';
import { right } from '../support/either.js';
import { AIRBENCH } from '../../src/system/package.js';
import { newFolder } from '../support/folders.js';
import { messagesOf, runOf, type Sample } from './sample-messages.js';

const ONE: Sample = { name: 'One', status: 'PASSED' };
const TWO: Sample = { name: 'Two', status: 'PASSED' };

/** The messages of a run up to the middle of the last line of a kind. */
const cut = (at: number, samples: readonly Sample[], kind: string): string => {
  const text = messagesOf(at, samples);
  return text.slice(0, text.lastIndexOf(`{"${kind}"`) + 20);
};

/** The id of an ended process. */
const gonePid = (): number => spawnSync(process.execPath, ['--version']).pid;

interface Made {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('The folder of reports', () => {
  let reports: string;
  let bench: string;
  let messages: string;

  beforeEach(() => {
    reports = newFolder();
    bench = join(reports, 'simulated');
    messages = join(bench, 'messages.ndjson');
    mkdirSync(bench);
  });

  const runs = (): readonly RecordedRun[] => right(readRuns(bench));

  const makeReport = (folder = reports): Promise<Made> =>
    new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [AIRBENCH, 'features', 'report', folder],
        (_error, stdout, stderr) => resolve({ status: child.exitCode, stdout, stderr }),
      );
    });

  /** Writes the folder of a run like its formatter. */
  const writeRun = (text: string, pid = 1): string => {
    const folder = join(bench, `run-${pid}`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'messages.ndjson'), text);
    return folder;
  };

  const inPlace = (name: string): string => readFileSync(join(bench, name), 'utf8');

  it('takes the messages of a finished run, and keeps the messages of the run before', () => {
    publish(writeRun(messagesOf(1, [ONE, TWO])));
    publish(writeRun(messagesOf(100, [TWO])));
    expect(readdirSync(bench)).to.have.members(['earlier', 'messages.ndjson']);
    expect(inPlace('messages.ndjson')).to.equal(messagesOf(100, [TWO]));
    expect(runs().map(({ run }) => run.startedAt)).to.deep.equal([1500, 100_500]);
  });

  it('takes no file of a run without a started scenario', () => {
    publish(writeRun(messagesOf(1, [ONE])));
    for (const text of ['', '{"meta":', messagesOf(100, [{ name: 'Unrun' }])]) {
      publish(writeRun(text));
      expect(readdirSync(bench)).to.have.members(['messages.ndjson']);
      expect(inPlace('messages.ndjson')).to.equal(messagesOf(1, [ONE]));
    }
  });

  it('takes the messages of an interrupted run, up to their end', () => {
    publish(writeRun(messagesOf(1, [ONE, TWO])));
    publish(writeRun(cut(100, [TWO, ONE], 'testRunFinished')));
    const [first, second] = runs().map(({ run }) => run);
    expect(first).to.include({ startedAt: 1500, interrupted: false });
    expect(second).to.include({ startedAt: 100_500, finishedAt: 100_500, interrupted: true });
    expect([...(second?.outcomes.values() ?? [])].map(({ status }) => status)).to.deep.equal([
      'passed',
      'passed',
    ]);
  });

  it('takes the files of ended processes, and leaves a run under way alone', () => {
    const mine = writeRun(messagesOf(1, [ONE]), process.pid);
    const left = writeRun(messagesOf(100, [TWO]), gonePid());
    const underWay = writeRun(messagesOf(200, [TWO]), process.ppid);
    publishInterrupted(bench);
    expect([mine, left, underWay].map((folder) => existsSync(folder))).to.deep.equal([false, false, true]);
    expect(runs().map(({ run }) => run.startedAt)).to.deep.equal([1500, 100_500]);
  });

  it('keeps an earlier run while it has the last result of a scenario', () => {
    for (const [at, samples] of [[ONE, TWO], [TWO]].entries()) publish(writeRun(messagesOf(at + 1, samples)));
    forgetOutdated(runs(), runOf(100, [{ name: 'Three', status: 'PASSED' }]));
    expect(runs().map(({ run }) => run.startedAt)).to.deep.equal([1500, 2500]);
    forgetOutdated(runs(), runOf(100, [TWO]));
    expect(runs().map(({ run }) => run.startedAt)).to.deep.equal([1500]);
    forgetOutdated(runs(), runOf(100, [ONE, TWO]));
    expect(runs()).to.be.empty;
  });

  const ofScan = (sample: Sample): Sample => ({
    ...sample,
    uri: 'features/dice/scan.feature',
    tags: ['@D-scan'],
  });

  const expectVerified = (interrupted: boolean): void => {
    const page = readFileSync(join(reports, 'acceptance.html'), 'utf8');
    expect(/<tbody id="D-scan".*?<\/tbody>/s.exec(page)?.[0]).to.contain(' verified');
    expect(page.includes('then interrupted')).to.equal(interrupted);
  };

  it('becomes a page', async () => {
    writeFileSync(messages, messagesOf(1, [ofScan(ONE)]));
    const stdout = `partly verified: ${join(reports, 'acceptance.html')}\n`;
    expect(await makeReport()).to.deep.equal({ status: 0, stdout, stderr: '' });
    expectVerified(false);
  });

  for (const [where, line] of [
    ['in a line', 'testRunFinished'],
    ['before the end of the last scenario', 'testCaseFinished'],
  ] as const)
    it(`becomes a page of its messages if the run was interrupted ${where}`, async () => {
      writeRun(cut(1, [ONE, TWO].map(ofScan), line), gonePid());
      expect(await makeReport()).to.include({ status: 0, stderr: '' });
      expectVerified(true);
    });

  const whole = messagesOf(1, [ONE]);
  const wrong: readonly (readonly [string, string, string])[] = [
    ['spoilt', whole.replace('{"meta"', '"meta"'), 'line 1: is not JSON'],
    ['of another form', whole.replace('"name":"One"', '"name":1'), 'line 4: pickle.name is not as'],
  ];
  for (const [defect, text, message] of wrong) {
    it(`ends with an error and status 1 if messages are ${defect}`, async () => {
      writeFileSync(messages, text);
      const { status, stderr } = await makeReport();
      expect(status).to.equal(1);
      expect(stderr.trim().split('\n')).to.have.lengthOf(1);
      expect(stderr).to.contain(messages).and.contain(message);
      expect(existsSync(join(reports, 'acceptance.html'))).to.be.false;
    });
  }

  for (const [defect, folderOf] of [
    ['no run started a scenario', () => reports],
    ['it is a file', () => 'package.json'],
  ] as const)
    it(`ends with an error and status 1 if ${defect}`, async () => {
      writeFileSync(messages, '{"meta":{}}\n{"sour');
      expect(await makeReport(folderOf())).to.deep.equal({
        ...{ status: 1, stdout: '' },
        stderr: `${folderOf()} holds no messages of any bench: run the features first\n`,
      });
    });
});
