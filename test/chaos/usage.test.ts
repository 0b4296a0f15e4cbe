import { spawn } from 'node:child_process';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { endPrograms, Program, type Ended } from '../support/program.js';

const chaos = (...args: readonly string[]): Promise<Ended> =>
  Program.of(
    spawn(process.execPath, ['dist/test/chaos/main.js', ...args], { stdio: ['ignore', 'pipe', 'pipe'] }),
  ).ended;

describe('npm run chaos', function () {
  this.timeout(20_000);
  afterEach(endPrograms);

  const wrong: readonly (readonly [args: readonly string[], sentence: string])[] = [
    [
      ['--seed', '-1'],
      "option '--seed <number>' argument '-1' is invalid: it must be a whole number from 0 to",
    ],
    [['--secs', 'long'], "argument 'long' is invalid: it must be a whole number from 1 to 86400"],
    [['--plan', 'nowhere.json'], 'it cannot be read: there is no such file or folder'],
    [['--plan', 'package.json'], "option '--plan <file>' is invalid: package.json: name is unknown here"],
    [['--rain'], "unknown option '--rain'"],
    [['rain'], 'too many arguments'],
  ];
  for (const [args, sentence] of wrong) {
    it(`${args.join(' ')} ends with status 2 and one sentence`, async () => {
      const { status, stdout, stderr } = await chaos(...args);
      expect(stderr)
        .to.match(/^error: .*\n$/)
        .and.to.contain(sentence);
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
    });
  }

  it('--help names its flags and ends with 0', async () => {
    const { status, stdout } = await chaos('--help');
    expect(status).to.equal(0);
    expect(stdout).to.contain('npm run chaos -- [options]').and.to.contain('--plan <file>');
  });
});
