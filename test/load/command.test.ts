import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { misuseOf } from '../support/flags.js';
import { loadCommand } from './command.js';

const refusalOf = (args: readonly string[]) =>
  misuseOf(
    loadCommand(() => expect.fail('the load was started')),
    args,
  );

describe('npm run load', () => {
  const { PATH = '' } = process.env;
  afterEach(() => {
    process.env['PATH'] = PATH;
  });

  const wrong: readonly (readonly [args: readonly string[], message: string])[] = [
    [
      ['--seed', '-1'],
      "option '--seed <number>' argument '-1' is invalid. it must be a whole number from 0 to",
    ],
    [['--secs', 'long'], "argument 'long' is invalid. it must be a whole number from 1 to 86400"],
    [['--faults', 'nowhere.json'], 'it cannot be read: there is no such file or folder'],
    [['--faults', 'package.json'], "option '--faults <file>' is invalid: package.json: name is unknown here"],
    [['rain'], 'too many arguments'],
  ];
  for (const [args, message] of wrong) {
    it(`refuses ${args.join(' ')} with one message`, async () => {
      const refusal = await refusalOf(args);
      expect(refusal)
        .to.match(/^error: .*$/)
        .and.to.contain(message);
    });
  }

  it('refuses to open pages without Chromium', async () => {
    process.env['PATH'] = 'test';
    expect(await refusalOf(['--pages'])).to.equal(
      'error: the pages need Chromium, which is not on the PATH: install it, or omit --pages',
    );
  });
});
