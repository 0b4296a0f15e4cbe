import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { misuseOf } from '../support/flags.js';
import { chaosCommand, soakCommand } from './command.js';

describe('npm run chaos', () => {
  const wrong: readonly (readonly [args: readonly string[], message: string])[] = [
    [
      ['--seed', '-1'],
      "option '--seed <number>' argument '-1' is invalid. it must be a whole number from 0 to",
    ],
    [['--secs', 'long'], "argument 'long' is invalid. it must be a whole number from 1 to 86400"],
    [['--plan', 'nowhere.json'], 'it cannot be read: there is no such file or folder'],
    [['--plan', 'package.json'], "option '--plan <file>' is invalid: package.json: name is unknown here"],
    [['rain'], 'too many arguments'],
  ];
  for (const [args, message] of wrong) {
    it(`refuses ${args.join(' ')} with one message`, async () => {
      const refusal = await misuseOf(
        chaosCommand(() => expect.fail('it was carried out')),
        args,
      );
      expect(refusal)
        .to.match(/^error: .*$/)
        .and.to.contain(message);
    });
  }
});

describe('npm run soak', () => {
  const { PATH = '' } = process.env;
  afterEach(() => {
    process.env['PATH'] = PATH;
  });

  it('refuses to open pages where there is no Chromium', async () => {
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
