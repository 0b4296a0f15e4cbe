import { hostname } from 'node:os';
import { normalize } from 'node:path';
import { expect } from 'chai';
import { clockCommand } from '../../src/cli/servers/clock.js';
import { dataFolder } from '../../src/cli/servers/data-folder.js';
import { refusalOf, parseFlags } from '../support/flags.js';

const KITCHEN = '58:2D:34:00:00:01';

const parse = (...args: readonly string[]) => parseFlags(clockCommand(), args);
const refusal = (...args: readonly string[]) => refusalOf(clockCommand(), args);

describe('the flags of airbench clock', () => {
  it('have the defaults of the contract', () => {
    expect(parse()).to.deep.equal({
      address: '0.0.0.0',
      port: 3000,
      verbose: 0,
      logFormat: 'auto',
      hci: { kind: 'default' },
      dataDir: dataFolder(),
      scanSecs: 10,
      reconnectSecs: null,
      connectTimeout: 10,
      discoverTimeout: 10,
      gattTimeout: 5,
      answerTimeout: 10,
      idleDisconnectSecs: 0,
      connect: [],
      devices: [],
      allowOrigin: [],
      allowHost: [],
      trustProxy: [],
      rateLimit: 6000,
      socketsPerAddress: 100,
      maxSockets: 10000,
      mdns: false,
      roam: false,
      mqttPrefix: 'airbench',
      name: hostname(),
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
    [['--verbose', '4'], 'it must be 0 to 3'],
    [['--port', '65536'], 'it must be a whole number from 0 to 65535'],
    [['--data-dir', ''], 'it must not be empty'],
    [['--reconnect-secs', 'ever'], 'it must be a number of seconds from 0 to 604800'],
    [['--answer-timeout', '0'], 'it must be a number of seconds from 0.1 to 600'],
    [['--connect', 'clock'], 'address must be six pairs of hex digits with colons'],
    [['--nonsense'], 'unknown option'],
  ];
  for (const [args, sentence] of bad) {
    it(`${args.join(' ')} is refused`, () => {
      expect(refusal(...args)).to.contain(sentence);
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
