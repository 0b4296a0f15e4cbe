import { hostname } from 'node:os';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { diceCommand } from '../../src/cli/servers/dice.js';
import { readyLine } from '../../src/cli/process/run.js';
import { refusalOf, parseFlags } from '../support/flags.js';

const RED = 'D1:CE:00:00:00:01';

describe('the flags of airbench dice', () => {
  const set: string[] = [];
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'airbench-'));
  });
  after(() => rmSync(folder, { recursive: true }));
  afterEach(() => {
    for (const name of set.splice(0)) Reflect.deleteProperty(process.env, name);
  });

  const environment = (name: string, value: string): void => {
    set.push(name);
    process.env[name] = value;
  };

  const file = (name: string, content: string): string => {
    const path = join(folder, name);
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

  const verbosities: readonly (readonly [readonly string[], number])[] = [
    [['-v'], 1],
    [['-vv'], 2],
    [['-vvv'], 3],
    [['-v', '3'], 3],
    [['-v0'], 0],
    [['--verbose'], 1],
    [['--verbose', '2'], 2],
    [['--verbose=3'], 3],
    [['-v', '--port', '0'], 1],
  ];
  for (const [args, verbose] of verbosities) {
    it(`${args.join(' ')} is ${verbose}`, () => {
      expect(parse(...args)).to.include({ verbose });
    });
  }

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

  it('name dice to keep, one by one or in a file', () => {
    const devices = file('dice.json', `[{"address":"${RED.toLowerCase()}","dice_type":"d12"}]`);
    expect(
      parse('--connect', RED, '--connect', 'D1:CE:00:00:00:02=d8', '--devices', devices),
    ).to.deep.include({
      connect: [{ address: RED }, { address: 'D1:CE:00:00:00:02', dice_type: 'd8' }],
      devices: [{ address: RED, dice_type: 'd12' }],
    });
  });

  it('name dice in several files', () => {
    const one = file('one.json', `[{"address":"${RED}"}]`);
    const other = file('other.json', '[{"address":"D1:CE:00:00:00:02"}]');
    expect(parse('--devices', one, '--devices', other)).to.deep.include({
      devices: [{ address: RED }, { address: 'D1:CE:00:00:00:02' }],
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
