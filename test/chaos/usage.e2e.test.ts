import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { misuseOf } from '../support/flags.js';
import { endPrograms, Program } from '../support/program.js';
import { chaosCommand, soakCommand } from './command.js';

describe('npm run chaos', () => {
  afterEach(endPrograms);

  const wrong: readonly (readonly [args: readonly string[], sentence: string])[] = [
    [
      ['--seed', '-1'],
      "option '--seed <number>' argument '-1' is invalid. it must be a whole number from 0 to",
    ],
    [['--secs', 'long'], "argument 'long' is invalid. it must be a whole number from 1 to 86400"],
    [['--plan', 'nowhere.json'], 'it cannot be read: there is no such file or folder'],
    [['--plan', 'package.json'], "option '--plan <file>' is invalid: package.json: name is unknown here"],
    [['--rain'], "unknown option '--rain'"],
    [['rain'], 'too many arguments'],
  ];
  for (const [args, sentence] of wrong) {
    it(`refuses ${args.join(' ')} in one message`, async () => {
      const refusal = await misuseOf(
        chaosCommand(() => expect.fail('it was carried out')),
        args,
      );
      expect(refusal)
        .to.match(/^error: .*$/)
        .and.to.contain(sentence);
    });
  }

  it('ends with status 2 and one message if it is refused', async () => {
    const { status, stdout, stderr } = await Program.node(['dist/test/chaos/main.js', '--rain']).ended;
    expect({ status, stdout, stderr }).to.deep.equal({
      ...{ status: 2, stdout: '' },
      stderr: "error: unknown option '--rain'\n",
    });
  });

  it('--help names its flags and ends with 0', async () => {
    const { status, stdout } = await Program.node(['dist/test/chaos/main.js', '--help']).ended;
    expect(status).to.equal(0);
    expect(stdout).to.contain('npm run chaos -- [options]').and.to.contain('--plan <file>');
  });
});

describe('npm run soak', () => {
  const { PATH = '' } = process.env;
  afterEach(() => {
    process.env['PATH'] = PATH;
  });

  it('refuses to open pages where there is no Chromium, in one message', async () => {
    process.env['PATH'] = 'test';
    const refusal = await misuseOf(
      soakCommand(() => expect.fail('it was carried out')),
      [],
    );
    expect(refusal).to.equal(
      'error: the pages need Chromium, which is not on the PATH: install it, or give --no-pages',
    );
  });
});
