import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { rewriteAcceptance, writeAcceptance } from '../../features/report/acceptance.js';
import { junitOf } from '../../features/report/junit.js';
import type { Run } from '../../features/report/run.js';
import { left, right } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { junitViolations } from '../support/junit.js';
import { parseXml, type Element } from '../support/xml.js';
import { messagesOf, runOf, type Sample } from './sample-messages.js';

const SCAN: Sample = { name: 'Scan', tags: ['@D-scan'], status: 'PASSED' };

describe("JUnit's XML", () => {
  const caseIn = (run: Run, name: string): Element | undefined =>
    parseXml(junitOf(run, 'x', 'accepted')).children.find(({ attributes }) => attributes['name'] === name);

  const SAMPLES: readonly Sample[] = [
    { name: 'One', status: 'PASSED' },
    { name: 'Two', status: 'FAILED' },
    { name: 'Three', status: 'SKIPPED' },
    { name: 'Four', status: 'PASSED', before: 'dark' },
  ];

  it('counts the scenarios by their status', () => {
    expect(parseXml(junitOf(runOf(1, SAMPLES), 'airbench simulated', 'not accepted')).attributes).to.include({
      ...{ name: 'airbench simulated', tests: '4', failures: '1', skipped: '1', errors: '0' },
    });
  });

  it('is valid by the schema of Jenkins', () => {
    expect(junitViolations(junitOf(runOf(1, SAMPLES), 'airbench simulated', 'not accepted'))).to.deep.equal(
      [],
    );
  });

  it('has the failed attempts of a flaky scenario', () => {
    const run = runOf(1, [{ name: 'LEDs', status: 'PASSED', before: 'Error: dark\n    at x' }]);
    const [flaky] = caseIn(run, 'LEDs')?.children ?? [];
    expect(flaky).to.deep.include({
      name: 'flakyFailure',
      attributes: { type: 'Error', message: 'Error: dark' },
    });
    expect(flaky?.children[0]).to.include({ name: 'stackTrace', text: 'Error: dark\n    at x' });
  });

  it('distinguishes the examples of an outline by their lines', () => {
    const run = runOf(1, [
      { name: 'A face', steps: ['face 1'], status: 'PASSED' },
      { name: 'A face', steps: ['face 2'], status: 'PASSED' },
    ]);
    const [, ...cases] = parseXml(junitOf(run, 'x', 'accepted')).children;
    expect(cases.map(({ attributes }) => attributes['name'])).to.deep.equal([
      'A face, line 3',
      'A face, line 4',
    ]);
  });

  it('leaves out characters that XML does not know', () => {
    const run = runOf(1, [{ name: 'LEDs', status: 'FAILED', reason: 'a\u0000b\u001b[31m' }]);
    expect(caseIn(run, 'LEDs')?.children[0]?.text).to.equal('ab[31m');
  });
});

describe('The JUnit XML of a bench', () => {
  let reports: string;
  beforeEach(() => {
    reports = newFolder();
  });

  const record = (samples: readonly Sample[], bench: string, at = 1): void => {
    mkdirSync(join(reports, bench), { recursive: true });
    writeFileSync(join(reports, bench, 'messages.ndjson'), messagesOf(at, samples));
  };
  const conclude = (samples: readonly Sample[], bench = 'simulated', at = 1): void => {
    record(samples, bench, at);
    right(writeAcceptance(reports, bench));
  };
  const junit = (bench: string): Element => parseXml(readFileSync(join(reports, bench, 'junit.xml'), 'utf8'));
  const namesIn = (bench: string): readonly (string | undefined)[] =>
    junit(bench)
      .children.filter(({ name }) => name === 'testcase')
      .map(({ attributes }) => attributes['name']);

  it('has the verdict', () => {
    conclude([SCAN]);
    const [properties] = junit('simulated').children;
    expect(properties?.children.map(({ attributes }) => attributes)).to.deep.equal([
      { name: 'verdict', value: 'partly verified' },
    ]);
  });

  it('has the scenarios of the latest run', () => {
    conclude([SCAN, { name: 'Two', status: 'PASSED' }]);
    expect(namesIn('simulated')).to.deep.equal(['Scan', 'Two']);
    conclude([SCAN], 'simulated', 100);
    expect(namesIn('simulated')).to.deep.equal(['Scan']);
  });

  it('is written again for all benches, and for a concluded bench alone', () => {
    record([SCAN], 'attach');
    conclude([SCAN]);
    expect(existsSync(join(reports, 'attach', 'junit.xml'))).to.be.false;
    right(rewriteAcceptance(reports));
    expect(namesIn('attach')).to.deep.equal(['Scan']);
  });

  it('is gone after a run with damaged messages', () => {
    conclude([SCAN]);
    writeFileSync(join(reports, 'simulated', 'messages.ndjson'), 'x{"testCaseStarted"\n');
    expect(left(writeAcceptance(reports, 'simulated'))).to.contain('holds no run');
    expect(existsSync(join(reports, 'simulated', 'junit.xml'))).to.be.false;
  });
});
