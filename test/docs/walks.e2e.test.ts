import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { version } from '../../src/system/package.js';
import { requireProgram, requireUnix } from '../support/require.js';
import { Walk } from '../support/walk.js';
import { describeWalks, QUICK } from './walks.js';

describeWalks('The walks of the documents', QUICK);

describe('npx in the clone', () => {
  it('finds the built program', async function () {
    requireProgram(this, 'npx');
    const { stdout } = await promisify(execFile)('npx', ['airbench', '--version']);
    expect(stdout.trim()).to.equal(version);
  });
});

const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\`\n`;

/** The outcome of a walk through a page of these blocks: `passed`, or the error. */
const walked = async (...blocks: readonly string[]): Promise<string> => {
  const walk = new Walk({});
  try {
    await walk.through(blocks.join('\n'));
    return 'passed';
  } catch (error) {
    return String(error);
  } finally {
    await walk.end();
  }
};

describe('A walk', () => {
  before(function () {
    requireUnix(this, 'shell scripts');
    requireProgram(this, 'bash');
  });

  for (const [shown, language] of [
    ['{"a":2}', 'json'],
    ['{"a":1,"b":null}', 'json'],
    ['{"a":…}…}', ''],
  ] as const) {
    it(`fails if the page shows another output: ${shown}`, async () => {
      const outcome = await walked(block('sh', `echo '{"a":1}'`), block(language, shown));
      expect(outcome).to.contain('AssertionError');
    });
  }

  it('skips a block with unmet needs, and its output', async () => {
    expect(await walked(block('sh needs an adapter', 'exit 1'), block('', 'hci0'))).to.equal('passed');
  });

  it('does not run as root', async () => {
    expect(await walked(block('sh', 'sudo true'))).to.contain('needs root');
  });

  it('fails with a failed command, unless the page asks for its status', async () => {
    expect(await walked(block('console', '$ false\n$ true'))).to.contain('AssertionError');
    expect(await walked(block('console', '$ (exit 3)\n$ echo $?\n3'))).to.equal('passed');
  });
});
