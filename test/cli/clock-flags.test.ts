import { normalize } from 'node:path';
import { expect } from 'chai';
import { clockCommand, dataFolder } from '../../src/cli/servers/clock.js';
import { refusalOf, parseFlags } from '../support/flags.js';

const KITCHEN = '58:2D:34:00:00:01';

const parse = (...args: readonly string[]) => parseFlags(clockCommand(), args);
const refusal = (...args: readonly string[]) => refusalOf(clockCommand(), args);

describe('the flags of airbench clock', () => {
  it('have defaults of their own beside those of dice', () => {
    expect(parse()).to.deep.include({
      ...{
        dataDir: dataFolder(),
        scanSecs: 10,
        reconnectSecs: null,
        answerTimeout: 10,
        idleDisconnectSecs: 0,
      },
    });
  });

  it('take what they are given', () => {
    expect(
      parse(
        ...['--reconnect-secs', '60', '--idle-disconnect-secs', '120', '--data-dir', 'here'],
        ...['--connect', `${KITCHEN.toLowerCase()}, 58:2D:34:00:00:02`],
      ),
    ).to.deep.include({
      reconnectSecs: 60,
      idleDisconnectSecs: 120,
      dataDir: 'here',
      connect: [{ address: KITCHEN }, { address: '58:2D:34:00:00:02' }],
    });
  });

  const bad: readonly (readonly [readonly string[], string])[] = [
    [['--data-dir', ''], 'it must not be empty'],
    [['--reconnect-secs', 'ever'], 'it must be a number of seconds from 0 to 604800'],
    [['--answer-timeout', '0'], 'it must be a number of seconds from 0.1 to 600'],
  ];
  for (const [args, message] of bad) {
    it(`${args.join(' ')} is refused`, () => {
      expect(refusal(...args)).to.contain(message);
    });
  }
});

describe('the folder of a user’s data', () => {
  const cases: readonly (readonly [NodeJS.Platform, NodeJS.ProcessEnv, string])[] = [
    ['linux', {}, '/home/ann/.local/share/airbench'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/airbench'],
    ['linux', { XDG_DATA_HOME: '' }, '/home/ann/.local/share/airbench'],
    ['linux', { STATE_DIRECTORY: '/var/lib/airbench-clock' }, '/var/lib/airbench-clock'],
    ['darwin', {}, '/home/ann/Library/Application Support/airbench'],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/airbench'],
  ];
  for (const [platform, env, folder] of cases) {
    it(`is ${folder} on ${platform} with ${JSON.stringify(env)}`, () => {
      expect(dataFolder(platform, env, '/home/ann')).to.equal(normalize(folder));
    });
  }
});
