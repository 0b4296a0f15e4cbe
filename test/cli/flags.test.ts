import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, normalize } from 'node:path';
import { Command } from 'commander';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { OPEN_ACCESS } from '../../src/access/access.js';
import { openControlProtection, protectionOf, protectionOptions } from '../../src/cli/options/protection.js';
import { readyLine } from '../../src/cli/process/run.js';
import { clockCommand, dataFolder } from '../../src/cli/servers/clock.js';
import { diceCommand } from '../../src/cli/servers/dice.js';
import { right } from '../support/either.js';
import { refusalOf, parseFlags } from '../support/flags.js';
import { newFolder } from '../support/folders.js';
import { silent } from '../support/log.js';
import { rows } from '../support/rows.js';

const RED = 'D1:CE:00:00:00:01';
const BLUE = 'D1:CE:00:00:00:02';
const KITCHEN = '58:2D:34:00:00:01';

describe('the flags of airbench dice', () => {
  const set: string[] = [];
  afterEach(() => {
    for (const name of set.splice(0)) Reflect.deleteProperty(process.env, name);
  });

  const environment = (name: string, value: string): void => {
    set.push(name);
    process.env[name] = value;
  };

  const file = (name: string, content: string): string => {
    const path = join(newFolder(), name);
    writeFileSync(path, content);
    return path;
  };

  const parse = (...args: readonly string[]) => parseFlags(diceCommand(), args);
  const refusal = (...args: readonly string[]) => refusalOf(diceCommand(), args);

  it('have the defaults of the contract', () => {
    expect(parse()).to.deep.equal({
      address: '0.0.0.0',
      port: 3000,
      verbose: 0,
      logFormat: 'auto',
      hci: { kind: 'default' },
      proxy: [],
      scanSecs: 5,
      reconnectSecs: 60,
      connectTimeout: 10,
      discoverTimeout: 10,
      gattTimeout: 5,
      answerTimeout: 5,
      calibrateTimeout: 10,
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

  for (const [line, verbose] of rows(
    2,
    `
    -v          | 1
    -vv         | 2
    -vvv        | 3
    -v 3        | 3
    -v0         | 0
    --verbose   | 1
    --verbose 2 | 2
    --verbose=3 | 3
    -v --port 0 | 1
    `,
  ))
    it(`take ${line} as the verbosity ${verbose}`, () => {
      expect(parse(...line.split(' '))).to.include({ verbose: Number(verbose) });
    });

  it('may be given in the environment; the command line comes first', () => {
    environment('AIRBENCH_PORT', '4000');
    environment('AIRBENCH_SCAN_SECS', '0.5');
    environment('AIRBENCH_VERBOSE', '2');
    environment('AIRBENCH_CONNECT', `${RED}=d20, d1:ce:00:00:00:02`);
    expect(parse('--port', '0')).to.deep.include({
      port: 0,
      scanSecs: 0.5,
      verbose: 2,
      connect: [{ address: RED, dice_type: 'd20' }, { address: 'D1:CE:00:00:00:02' }],
    });
  });

  it('name dice to keep, one by one or in files', () => {
    const one = file('dice.json', `[{"address":"${RED.toLowerCase()}","dice_type":"d12"}]`);
    const other = file('other.json', `[{"address":"${BLUE}"}]`);
    expect(
      parse('--connect', RED, '--connect', `${BLUE}=d8`, '--devices', one, '--devices', other),
    ).to.deep.include({
      connect: [{ address: RED }, { address: BLUE, dice_type: 'd8' }],
      devices: [{ address: RED, dice_type: 'd12' }, { address: BLUE }],
    });
  });

  const bad: readonly (readonly [readonly string[], string])[] = [
    [['--port', '65536'], 'it must be a whole number from 0 to 65535'],
    [['--port', '1.5'], 'it must be a whole number from 0 to 65535'],
    [['--port', '-1'], 'it must be a whole number from 0 to 65535'],
    [['--verbose', '4'], 'it must be 0 to 3'],
    [['-vvvv'], 'it must be 0 to 3'],
    [['--scan-secs', '0'], 'it must be a number of seconds from 0.1 to 600'],
    [['--scan-secs', '601'], 'it must be a number of seconds from 0.1 to 600'],
    [['--address', ''], 'it must not be empty'],
    [['--hci', 'usb'], 'hci must be default, hciN, user:hciN, tcp:HOST:PORT or unix:PATH, got "usb"'],
    [['--connect', 'die'], 'address must be six pairs of hex digits with colons'],
    [['--connect', `${RED}=d7`], 'dice_type must be one of d6, d20, d10, d10x, d4, d8, d12, got "d7"'],
    [['--devices', '/nowhere/dice.json'], 'it cannot be read: there is no such file or folder'],
    [['--devices', '/'], 'it cannot be read: it is a folder'],
    [['--nonsense'], 'unknown option'],
    [['extra'], 'too many arguments'],
  ];
  for (const [args, message] of bad) {
    it(`${args.join(' ')} is refused`, () => {
      expect(refusal(...args)).to.contain(message);
    });
  }

  it('in a bad environment are refused', () => {
    environment('AIRBENCH_ANSWER_TIMEOUT', 'soon');
    expect(refusal()).to.contain('AIRBENCH_ANSWER_TIMEOUT');
  });

  it('name the entry of a file that is wrong', () => {
    const wrong = file('wrong.json', `[{"address":"${RED}"},{"address":"${RED}","dice_type":"d7"}]`);
    expect(refusal('--devices', wrong)).to.contain('[1].dice_type must be one of');
    expect(refusal('--devices', file('object.json', '{}'))).to.contain('it must be a JSON array of');
    expect(refusal('--devices', file('broken.json', '[{'))).to.contain('it is not valid JSON');
  });
});

describe('the line that says where a server is', () => {
  it('names a place to go to', () => {
    expect(readyLine('dice server', '0.0.0.0', 3000)).to.equal(
      'dice server  http://localhost:3000  ws://localhost:3000/ws',
    );
    expect(readyLine('dice server', '::1', 80)).to.equal('dice server  http://[::1]:80  ws://[::1]:80/ws');
  });
});

describe('the flags of airbench clock', () => {
  const parse = (...args: readonly string[]) => parseFlags(clockCommand(), args);
  const refusal = (...args: readonly string[]) => refusalOf(clockCommand(), args);

  it('have defaults of their own', () => {
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

  it('take values of their types', () => {
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

describe('The flag --home-assistant', () => {
  const prefixOf = (...flags: readonly string[]): unknown =>
    parseFlags(diceCommand(), flags)['homeAssistant'];

  it('has the prefix that Home Assistant has, unless another is named', () => {
    expect(prefixOf()).to.equal(undefined);
    expect(prefixOf('--home-assistant')).to.equal('homeassistant');
    expect(prefixOf('--home-assistant', 'home/one')).to.equal('home/one');
  });

  it('takes no wildcard', () => {
    expect(refusalOf(diceCommand(), ['--home-assistant', 'home/+'])).to.contain('without + and #');
  });
});

const protectedCommand = (): Command => {
  const made = new Command('server');
  for (const option of protectionOptions()) made.addOption(option);
  return made;
};

describe('The flags of access to a server', () => {
  for (const [given, origin] of [
    ['https://dashboard.example', 'https://dashboard.example'],
    ['HTTPS://Dashboard.Example:443/', 'https://dashboard.example'],
    ['http://192.168.1.5:8080', 'http://192.168.1.5:8080'],
    ['*', '*'],
    ['null', 'null'],
  ] as const) {
    it(`take ${given} as the origin ${origin}`, () => {
      expect(parseFlags(protectedCommand(), ['--allow-origin', given])['allowOrigin']).to.deep.equal([
        origin,
      ]);
    });
  }

  for (const [flag, wrong, message] of [
    ...[
      ...['dashboard.example', 'localhost:3000', 'https://a.example/page', 'https://a.example?x'],
      ...['https://me@a.example', 'https://:secret@a.example', 'file:///', ''],
    ].map((origin) => ['--allow-origin', origin, 'it must be an origin such as'] as const),
    ...['dice.example:3000', 'http://dice.example', '*', '.example', ''].map(
      (host) => ['--allow-host', host, 'it must be a name without a port'] as const,
    ),
    ...['proxy.example', '10.0.0.0/33', '999.1.1.1', ''].map(
      (proxy) => ['--trust-proxy', proxy, 'it must be an address, a network'] as const,
    ),
    ['--token-file', '', 'it must not be empty'],
    ['--rate-limit', '-1', 'it must be a whole number from 0'],
  ] as const) {
    it(`refuse "${wrong}" of ${flag}`, () => {
      expect(refusalOf(protectedCommand(), [`${flag}=${wrong}`])).to.include(message);
    });
  }

  it('are repeatable, and take several with commas', () => {
    const flags = parseFlags(protectedCommand(), [
      ...['--allow-origin', 'https://a.example,null', '--allow-origin', 'https://b.example'],
      ...['--allow-host', 'a.example', '--allow-host', 'B.example'],
      ...['--trust-proxy', 'loopback,10.0.0.0/8', '--trust-proxy', 'fd00::1'],
    ]);
    expect(flags).to.deep.include({
      allowOrigin: ['https://a.example', 'null', 'https://b.example'],
      allowHost: ['a.example', 'B.example'],
      trustProxy: ['loopback', '10.0.0.0/8', 'fd00::1'],
    });
  });
});

const place = { allowHost: [], allowOrigin: [], trustProxy: [] };

describe('flags of limits', () => {
  it('set the limits of requests and sockets', () => {
    const { requestsPerMinute, socketsPerAddress, sockets } = protectionOf(
      { ...place, tokenFile: undefined, rateLimit: 7, socketsPerAddress: 8, maxSockets: 9 },
      OPEN_ACCESS,
    );
    expect({ requestsPerMinute, socketsPerAddress, sockets }).to.deep.equal({
      ...{ requestsPerMinute: 7, socketsPerAddress: 8, sockets: 9 },
    });
  });

  it('leave the requests of the control API unlimited', () => {
    const flags = { ...place, controlAddress: '127.0.0.1', controlTokenFile: undefined };
    expect(right(openControlProtection(flags, silent)).protection.requestsPerMinute).to.equal(0);
  });
});
