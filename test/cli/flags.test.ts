/** Commands parse their flags; refusals.e2e.test.ts has the status of refusals. */
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, normalize } from 'node:path';
import type { Command } from 'commander';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { describe, it } from 'mocha';
import { OPEN_ACCESS } from '../../src/access/access.js';
import { keyOf, readKeyOf, readKeys } from '../../src/cli/options/keys.js';
import { openControlProtection, protectionOf } from '../../src/cli/options/protection.js';
import { proxyKeys } from '../../src/cli/options/proxies.js';
import { readyLine } from '../../src/cli/process/run.js';
import { dataFolder } from '../../src/cli/options/memory.js';
import { clockCommand } from '../../src/cli/servers/clock.js';
import { diceCommand } from '../../src/cli/servers/dice.js';
import { fleetCommand } from '../../src/cli/servers/fleet.js';
import { proxyCommand } from '../../src/cli/servers/proxy.js';
import { proxyAddresses } from '../../src/cli/servers/proxy-addresses.js';
import { airCommand } from '../../simulators/cli/air.js';
import { importCommand } from '../../simulators/cli/import.js';
import { linuxCommand } from '../../simulators/cli/linux.js';
import { replayCommand } from '../../simulators/cli/replay.js';
import { rigCommand } from '../../simulators/cli/rig.js';
import { vhciCommand } from '../../simulators/cli/vhci.js';
import { left, right } from '../support/either.js';
import { helpOf, misuseOf, parseFlags } from '../support/flags.js';
import { newFolder } from '../support/folders.js';
import { silent } from '../support/log.js';
import { jsonOf, rows } from '../support/rows.js';
import { useVariables } from '../support/variables.js';

const RED = 'D1:CE:00:00:00:01';
const BLUE = 'D1:CE:00:00:00:02';

const file = (content: string): string => {
  const path = join(newFolder(), 'file.json');
  writeFileSync(path, content);
  return path;
};

const COMMANDS: Readonly<Record<string, () => Command>> = {
  ...{ dice: diceCommand, clock: clockCommand, fleet: fleetCommand, proxy: proxyCommand },
  ...{ air: airCommand, rig: rigCommand },
  ...{ replay: replayCommand, linux: linuxCommand, import: importCommand, vhci: vhciCommand },
};

/** The command at the beginning of a line, and the other words. */
const read = (line: string): readonly [Command, readonly string[]] => {
  const [name = '', ...args] = line.split(' ');
  return [COMMANDS[name]?.() ?? expect.fail(`there is no command ${name}`), args];
};
const parse = (line: string) => parseFlags(...read(line));

describe('A command of airbench', () => {
  const setVariable = useVariables();

  it('has the defaults of the contract if it is dice', () => {
    expect(parse('dice')).to.deep.equal({
      address: '0.0.0.0',
      port: 3000,
      verbose: 0,
      logFormat: 'auto',
      hci: { kind: 'default' },
      proxy: [],
      dataDir: dataFolder(),
      history: 'on',
      historyDays: null,
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
      mqttPrefix: 'airbench',
      name: hostname(),
    });
  });

  it('has different defaults if it is clock', () => {
    expect(parse('clock')).to.deep.include({
      ...{ dataDir: dataFolder(), scanSecs: 10, reconnectSecs: null, answerTimeout: 10 },
      idleDisconnectSecs: 0,
    });
  });

  for (const name of ['dice', 'clock', 'air', 'rig', 'replay', 'linux'])
    it(`shows flags and examples for ${name} --help`, () => {
      expect(helpOf(read(name)[0]))
        .to.contain('Examples:')
        .and.to.contain('--verbose');
    });

  for (const [line, fields] of rows(
    2,
    `
    proxy                                       | {"subscriber": "all", "slots": 10, "maxClients": 5}
    dice -v                                     | {"verbose": 1}
    dice -vv                                    | {"verbose": 2}
    dice -vvv                                   | {"verbose": 3}
    dice -v 3                                   | {"verbose": 3}
    dice -v0                                    | {"verbose": 0}
    dice --verbose                              | {"verbose": 1}
    dice --verbose 2                            | {"verbose": 2}
    dice --verbose=3                            | {"verbose": 3}
    dice -v --port 0                            | {"verbose": 1, "port": 0}
    dice --connect ${RED} --connect ${BLUE}=d8  | {"connect": [{"address": "${RED}"}, {"address": "${BLUE}", "dice_type": "d8"}]}
    dice --home-assistant                       | {"homeAssistant": "homeassistant"}
    dice --home-assistant home/one              | {"homeAssistant": "home/one"}
    dice --allow-origin https://a.example       | {"allowOrigin": ["https://a.example"]}
    dice --allow-origin HTTPS://A.Example:443/  | {"allowOrigin": ["https://a.example"]}
    dice --allow-origin http://192.168.1.5:8080 | {"allowOrigin": ["http://192.168.1.5:8080"]}
    dice --allow-origin *                       | {"allowOrigin": ["*"]}
    dice --allow-origin a://a,null --allow-origin b://b       | {"allowOrigin": ["a://a", "null", "b://b"]}
    dice --allow-host a.example --allow-host B.example        | {"allowHost": ["a.example", "B.example"]}
    dice --trust-proxy loopback,10.0.0.0/8 --trust-proxy ::1  | {"trustProxy": ["loopback", "10.0.0.0/8", "::1"]}
    dice --bluez                                | {"bluez": {}}
    dice --bluez hci1 --port 0                  | {"bluez": {"adapter": "hci1"}, "port": 0}
    dice --proxy esphome://kitchen.local        | {"proxy": [{"host": "kitchen.local", "port": 6053}]}
    dice --proxy esphome://192.168.1.20:6054/   | {"proxy": [{"host": "192.168.1.20", "port": 6054}]}
    dice --proxy esphome://[fe80::1]:6053       | {"proxy": [{"host": "fe80::1", "port": 6053}]}
    dice --simulator http://LOCALHOST:3100      | {"simulator": {"url": "http://localhost:3100/"}}
    dice --simulator http://a.example/rig       | {"simulator": {"url": "http://a.example/rig/"}}
    clock --reconnect-secs 60                   | {"reconnectSecs": 60}
    clock --idle-disconnect-secs 120            | {"idleDisconnectSecs": 120}
    clock --data-dir here                       | {"dataDir": "here"}
    dice --history off --history-days 30        | {"history": "off", "historyDays": 30}
    clock --connect 58:2d:34:00:00:01,${RED}    | {"connect": [{"address": "58:2D:34:00:00:01"}, {"address": "${RED}"}]}
    `,
  ))
    it(`accepts ${line}`, () => {
      expect(parse(line)).to.deep.include(jsonOf(fields));
    });

  it('reads flags from the environment unless they are on the command line', () => {
    setVariable('AIRBENCH_PORT', '4000');
    setVariable('AIRBENCH_SCAN_SECS', '0.5');
    setVariable('AIRBENCH_VERBOSE', '2');
    setVariable('AIRBENCH_CONNECT', `${RED}=d20, d1:ce:00:00:00:02`);
    expect(parse('dice --port 0')).to.deep.include({
      ...{ port: 0, scanSecs: 0.5, verbose: 2 },
      connect: [{ address: RED, dice_type: 'd20' }, { address: BLUE }],
    });
    setVariable('AIRBENCH_CONTROL_TOKEN', 'token-of-the-control-api');
    expect(parse('dice --simulator http://localhost:3100')).to.deep.include({
      simulator: { url: 'http://localhost:3100/', token: 'token-of-the-control-api' },
    });
    setVariable('AIRBENCH_ANSWER_TIMEOUT', 'soon');
    expect(() => parse('dice')).to.throw('AIRBENCH_ANSWER_TIMEOUT');
  });

  it('reads devices from files, and names the wrong entry of a file', async () => {
    const first = file(`[{"address":"${RED.toLowerCase()}","dice_type":"d12"}]`);
    const second = file(`[{"address":"${BLUE}"}]`);
    expect(parse(`dice --devices ${first} --devices ${second}`)).to.deep.include({
      devices: [{ address: RED, dice_type: 'd12' }, { address: BLUE }],
    });
    for (const [content, message] of [
      [`[{"address":"${RED}"},{"address":"${RED}","dice_type":"d7"}]`, '[1].dice_type must be one of'],
      ['{}', 'it must be a JSON array of'],
      ['[{', 'it is not valid JSON'],
    ] as const)
      expect(await misuseOf(...read(`dice --devices ${file(content)}`))).to.contain(message);
  });

  for (const [line, part] of rows(
    2,
    `
    dice --port 65536       | it must be a whole number from 0 to 65535
    dice --bluez kitchen    | it must be hciN, or true for the first adapter, or false
    dice --port 1.5         | it must be a whole number from 0 to 65535
    dice --port -1          | it must be a whole number from 0 to 65535
    dice --verbose 4        | it must be 0 to 3
    dice -vvvv              | it must be 0 to 3
    dice --scan-secs 0      | it must be a number of seconds from 0.1 to 600
    dice --scan-secs 601    | it must be a number of seconds from 0.1 to 600
    dice --address=         | it must not be empty
    dice --hci usb          | hci must be default, hciN, user:hciN, tcp:HOST:PORT or unix:PATH, got "usb"
    dice --connect die      | address must be six pairs of hex digits with colons
    dice --connect ${RED}=d7    | dice_type must be one of d6, d20, d10, d10x, d4, d8, d12, got "d7"
    dice --devices /nowhere/d   | it cannot be read: there is no such file or folder
    dice --devices /        | it cannot be read: it is a folder
    dice --nonsense         | unknown option
    dice extra              | too many arguments
    dice --home-assistant home/+            | without + and #
    dice --allow-origin dashboard.example   | it must be an origin such as
    dice --allow-origin localhost:3000      | it must be an origin such as
    dice --allow-origin https://a.b/page    | it must be an origin such as
    dice --allow-origin https://a.b?x       | it must be an origin such as
    dice --allow-origin https://me@a.b      | it must be an origin such as
    dice --allow-origin https://:secret@a.b | it must be an origin such as
    dice --allow-origin file:///            | it must be an origin such as
    dice --allow-origin=                    | it must be an origin such as
    dice --allow-host dice.example:3000     | it must be a name without a port
    dice --allow-host http://dice.example   | it must be a name without a port
    dice --allow-host *                     | it must be a name without a port
    dice --allow-host .example              | it must be a name without a port
    dice --allow-host=                      | it must be a name without a port
    dice --trust-proxy proxy.example        | it must be an address, a network
    dice --trust-proxy 10.0.0.0/33          | it must be an address, a network
    dice --trust-proxy 999.1.1.1            | it must be an address, a network
    dice --trust-proxy=                     | it must be an address, a network
    dice --token-file=                      | it must not be empty
    dice --rate-limit -1                    | it must be a whole number from 0
    dice --history-days 0                   | it must be a whole number from 1 to 36500
    dice --proxy kitchen.local              | it must be auto, or a place such as
    dice --proxy http://kitchen.local       | it must be auto, or a place such as
    dice --proxy esphome://                 | it must be auto, or a place such as
    dice --proxy esphome://a:0              | it must be auto, or a place such as
    dice --proxy esphome://a:65536          | it must be auto, or a place such as
    dice --simulator localhost:3100         | it must be a URL such as http://127.0.0.1:3100
    dice --simulator https://localhost:3100 | it must be a URL such as http://127.0.0.1:3100
    dice --simulator http://me@localhost    | it must be a URL such as http://127.0.0.1:3100
    dice --simulator http://localhost?x     | it must be a URL such as http://127.0.0.1:3100
    clock --data-dir=                       | it must not be empty
    clock --reconnect-secs ever             | it must be a number of seconds from 0 to 604800
    clock --answer-timeout 0                | it must be a number of seconds from 0.1 to 600
    rig --pace slow                         | --pace
    rig --chaos .                           | it cannot be read: it is a folder
    rig --chaos package.json                | --chaos
    rig --unknown                           | --unknown
    air --seed 1.5                          | --seed
    air --strict very                       | --strict
    air --devices nowhere.json              | it cannot be read: there is no such file or folder
    air --devices package.json/x            | it cannot be read: a part of its path is not a folder
    air --chaos nowhere.json                | --chaos
    air --hci-socket /tmp/${'x'.repeat(120)} | --hci-socket
    air --adapter hci1                      | --adapter <hciN>
    air --device dice                       | option '--device <kind>' needs --adapter
    air --adapter tcp:localhost:6402 --device dice            | it must be default or hciN
    air --adapter hci1 --device cube                          | it must be one of dice, clock, pixels
    air --adapter hci77 --device dice --dice 3                | option '--dice <number>' needs the virtual radio
    air --adapter hci77 --device dice --devices package.json  | --devices <file>
    air --adapter hci77 --device dice --pace fast             | option '--pace <pace>' needs the virtual radio
    air --adapter hci77 --device dice --hci-port 0            | option '--hci-port <number>' needs the virtual radio
    air --report r.xml                      | option '--report <file>' needs --strict
    air --fail-on-violation                 | option '--fail-on-violation' needs --strict
    air --strict --report r.pdf             | it must end in .xml, for JUnit, or in .html
    vhci --hci hci0                         | it must be tcp:HOST:PORT or unix:PATH
    replay .                                | it cannot be read: it is a folder
    replay package.json --device die        | option '--device <address>'
    replay ./package.json --trace package.json                | would overwrite ./package.json
    import nowhere.json d.yaml              | it cannot be read: there is no such file or folder
    import README.md d.yaml                 | pcapng file, a description is JSON of Bumble or nRF Connect for Desktop
    import package.json d.yaml              | package.json cannot be imported: the file is neither a configuration of Bumble
    fleet --discover --forget hall          | with option '--forget <device or server>'
    linux                                   | missing required argument 'command'
    linux --keep a -- true                  | option '--keep <name>' takes no command
    linux --in a/b -- true                  | it must be a name of 1 to 40 letters
    linux --in lab --forward 8000:80 -- true                  | option '--forward <ports>' is of a new guest: give it with --keep, not with --in
    linux --adapters 9 -- true              | it must be a whole number from 1 to 8
    linux --memory 1G -- true               | it must be a whole number from 512 to 65536
    linux --cpus 0 -- true                  | it must be a whole number from 1 to 32
    linux --prune -- true                   | option '--prune [days]' takes no command
    linux --prune soon                      | it must be a whole number of days
    linux --forward 3000 -- true            | it must be HERE:THERE
    linux --packages python3-bleak, -- true | it must be names of packages
    linux --hci hci0 -- true                | it must be tcp:HOST:PORT or unix:PATH
    linux --hci tcp:localhost:6402 --dice 1 -- true           | option '--dice <number>'
    `,
  ))
    it(`refuses ${line} in one message`, async () => {
      expect(await misuseOf(...read(line)))
        .to.contain(part)
        .and.not.contain('\n');
    });

  for (const [content, part] of [
    ['\ufeff\n<macro/>', 'it is XML or HTML instead of JSON'],
    ['\ufeff {"kind":"gatt"}', 'the file has a kind'],
    ['import bumble', 'a description is JSON of Bumble or nRF Connect for Desktop'],
    ['', 'it is empty'],
  ] as const)
    it(`refuses to import ${JSON.stringify(content)}`, async () => {
      expect(await misuseOf(...read(`import ${file(content)} d.yaml`))).to.contain(part);
    });

  it('imports captures that begin as XML and JSON do', async () => {
    // A section of 60 octets of pcapng, and a record of PacketLogger, little-endian, of 4 + 0x22.
    const section = `\n\r\r\n<\0\0\0M<+\x1a${'\0'.repeat(44)}<\0\0\0`;
    const record = `"${'\0'.repeat(12)}${'x'.repeat(25)}`;
    for (const content of [section, record])
      expect(await misuseOf(...read(`import ${file(content)} d.yaml`))).to.contain(
        'it has no Bluetooth LE link',
      );
  });
});

describe('The line with the addresses of a server', () => {
  it('names an address that a client can connect to', () => {
    expect(readyLine('dice server', '0.0.0.0', 3000)).to.equal(
      'dice server  http://localhost:3000  ws://localhost:3000/ws',
    );
    expect(readyLine('dice server', '::1', 80)).to.equal('dice server  http://[::1]:80  ws://[::1]:80/ws');
  });
});

describe('The folder of a user’s data', () => {
  const cases: readonly (readonly [NodeJS.Platform, NodeJS.ProcessEnv, string])[] = [
    ['linux', {}, '/home/ann/.local/share/airbench'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/airbench'],
    ['linux', { XDG_DATA_HOME: '' }, '/home/ann/.local/share/airbench'],
    ['linux', { STATE_DIRECTORY: '/var/lib/airbench-clock' }, '/var/lib/airbench-clock'],
    ['darwin', {}, '/home/ann/Library/Application Support/airbench'],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/airbench'],
  ];
  for (const [platform, env, folder] of cases)
    it(`is ${folder} on ${platform} with ${JSON.stringify(env)}`, () => {
      expect(dataFolder(platform, env, () => '/home/ann')).to.equal(normalize(folder));
    });

  it('is in the root folder for a user without an entry', () => {
    const unknown = (): string => {
      throw new Error('A system error occurred: uv_os_homedir returned ENOENT (no such file or directory)');
    };
    expect(dataFolder('linux', {}, unknown)).to.equal(normalize('/.local/share/airbench'));
  });
});

describe('Flags of limits', () => {
  const place = { allowHost: [], allowOrigin: [], trustProxy: [] };

  it('set the limits of requests and sockets', () => {
    const { requestsPerMinute, socketsPerAddress, sockets } = protectionOf(
      { ...place, tokenFile: undefined, rateLimit: 7, socketsPerAddress: 8, maxSockets: 9 },
      OPEN_ACCESS,
    );
    expect([requestsPerMinute, socketsPerAddress, sockets]).to.deep.equal([7, 8, 9]);
  });

  it('leave the requests of the control API unlimited', () => {
    const flags = { ...place, controlAddress: '127.0.0.1', controlTokenFile: undefined };
    expect(right(openControlProtection(flags, silent)).protection.requestsPerMinute).to.equal(0);
  });
});

describe('Keys of proxies', () => {
  const KEY = Buffer.alloc(32, 3);
  const TEXT = KEY.toString('base64');

  it('are one key for all hosts, or keys by host', () => {
    expect(keyOf(right(readKeys(` ${TEXT}\n`)), 'any.local')).to.deep.equal(KEY);
    const keys = right(readKeys(JSON.stringify({ 'Kitchen.local': TEXT })));
    expect(keyOf(keys, 'kitchen.local')).to.deep.equal(KEY);
    expect(keyOf(keys, 'hall.local')).to.equal(undefined);
  });

  it('are refused with a wrong length, without their text in the message', () => {
    for (const [text, message] of [
      ['c2VjcmV0', /^it must be a key of 32 bytes/],
      ['{"kitchen.local": "c2VjcmV0"}', /^the key of kitchen.local: it must be a key/],
      ['{', /^it is not valid JSON$/],
      ['{"a": 1}', /^it must be a JSON object of keys by host/],
    ] as const)
      expect(left(readKeys(text)))
        .to.match(message)
        .and.not.contain('c2VjcmV0');
  });

  it('are refused without the key of the proxy, which would not be encrypted', () => {
    const path = file(JSON.stringify({ 'proxy-hall': TEXT }));
    expect(right(readKeyOf(path, 'proxy-hall'))).to.deep.equal(KEY);
    expect(left(readKeyOf(path, 'proxy-attic'))).to.equal(`${path}: it has no key for proxy-attic`);
  });

  it('are refused with the name of their file or variable', () => {
    const flags = { proxy: [], proxyKeyFile: undefined };
    expect(left(proxyKeys(flags, { AIRBENCH_PROXY_KEYS: 'x' }))).to.match(/^AIRBENCH_PROXY_KEYS: /);
    expect(left(proxyKeys({ ...flags, proxyKeyFile: '/no/such' }, {}))).to.match(
      /^--proxy-key-file: \/no\/such: /,
    );
    expect(right(proxyKeys(flags, {}))('kitchen.local')).to.equal(undefined);
  });

  it('belong to named proxies and to proxies that mDNS finds, each proxy once', async () => {
    const services = [
      { host: '192.0.2.7', port: 6053, name: 'kitchen' },
      { host: '192.0.2.8', port: 6053, name: 'hall' },
    ];
    const proxy = [{ host: 'kitchen.local', port: 6053 }, 'auto'] as const;
    const proxyKeyFile = file(JSON.stringify({ 'hall.local': TEXT }));
    const { named, search } = right(proxyAddresses({ proxy, proxyKeyFile }, () => TE.right(services)));
    expect(named).to.deep.equal([{ host: 'kitchen.local', port: 6053, key: undefined }]);
    expect(right((await search?.()()) ?? E.left('no search'))).to.deep.equal([
      { host: '192.0.2.8', port: 6053, name: 'hall', key: KEY },
    ]);
    expect(right(proxyAddresses({ proxy: [], proxyKeyFile })).search).to.equal(undefined);
  });
});
