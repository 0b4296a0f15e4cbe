import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { clockCommand } from '../../src/cli/servers/clock.js';
import { diceCommand } from '../../src/cli/servers/dice.js';
import { rigCommand } from '../../simulators/cli/rig.js';
import { configRefusalOf, helpOf, parseConfigured } from '../support/flags.js';
import { newFolder } from '../support/folders.js';
import { Program, endPrograms } from '../../simulators/testing/internal/program.js';
import { requireUnix } from '../support/require.js';
import { useVariables } from '../support/variables.js';

const RED = 'D1:CE:00:00:00:01';
const BLUE = 'D1:CE:00:00:00:02';

describe('A configuration file', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = newFolder();
    path = join(folder, 'airbench.yml');
  });
  afterEach(endPrograms);
  const setVariable = useVariables();

  const write = (...lines: readonly string[]): void => writeFileSync(path, `${lines.join('\n')}\n`);
  const config = (): readonly string[] => ['--config', path];
  const parse = (command: Command, ...args: readonly string[]) =>
    parseConfigured(command, [...config(), ...args]);
  /** The refusal, without the name of the file. */
  const refusal = async (command: Command = diceCommand()): Promise<string> =>
    (await configRefusalOf(command, config())).replace(`error: ${path}, `, '');

  it('sets flags by their names, each parsed as on the command line', async () => {
    write(
      ...['version: 1', 'port: 0', 'address: "127.0.0.1" # here alone', 'scan-secs: 0.5', 'verbose: 2'],
      ...['hci: tcp:localhost:6402', 'connect:', `  - ${RED}=d20`, `  - ${BLUE}`],
    );
    expect(await parse(diceCommand())).to.deep.include({
      port: 0,
      address: '127.0.0.1',
      scanSecs: 0.5,
      verbose: 2,
      hci: { kind: 'tcp', host: 'localhost', port: 6402 },
      connect: [{ address: RED, dice_type: 'd20' }, { address: BLUE }],
    });
  });

  for (const [text, fields] of [
    [
      `{"version": 1, "connect": ["${RED}"], "data-dir": "/d"}`,
      { connect: [{ address: RED }], dataDir: '/d' },
    ],
    ['version: 1', { port: 3000 }],
    ['version: 1\n# port: 7', { port: 3000 }],
    ['---\nversion: 1\n', { port: 3000 }],
  ] as const)
    it(`may be JSON, or have no flags: ${JSON.stringify(text)}`, async () => {
      write(text);
      expect(await parse(clockCommand())).to.deep.include(fields);
    });

  it('yields to the environment, and both yield to the command line', async () => {
    write('version: 1', 'port: 1', 'address: 10.0.0.1', `connect: [${RED}]`);
    setVariable('AIRBENCH_PORT', '2');
    expect(await parse(diceCommand())).to.include({ port: 2, address: '10.0.0.1' });
    expect(await parse(diceCommand(), '--port', '3')).to.include({ port: 3, address: '10.0.0.1' });
    expect(await parse(diceCommand(), '--connect', BLUE)).to.deep.include({ connect: [{ address: BLUE }] });
  });

  it('may be named in the environment', async () => {
    write('version: 1', 'port: 1');
    setVariable('AIRBENCH_CONFIG', path);
    expect(await parseConfigured(diceCommand(), [])).to.include({ port: 1 });
  });

  for (const command of [diceCommand, clockCommand, rigCommand]) {
    const name = command().name();
    it(`can set every flag of ${name}`, async () => {
      const longs = [...helpOf(command()).matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(
        ([, long = '']) => long,
      );
      const flags = longs.filter((long) => !['config', 'help'].includes(long));
      expect(flags).to.include('verbose').and.to.have.length.above(10);
      // All flags are known, but no flag takes a map.
      for (const flag of flags) {
        write('version: 1', `${flag}: {}`);
        expect(await refusal(command())).to.equal(`line 2: ${flag} must be a single value`);
      }
    });
  }

  const wrong: readonly (readonly [readonly string[], string])[] = [
    [['port: 65536'], 'line 2: port must be a whole number from 0 to 65535'],
    [['# a comment', '', 'port: many'], 'line 4: port must be a whole number from 0 to 65535'],
    [['address: ""'], 'line 2: address must not be empty'],
    [['verbose: true'], 'line 2: verbose must be 0 to 3'],
    [
      ['hci: usb'],
      'line 2: hci: hci must be default, hciN, user:hciN, tcp:HOST:PORT or unix:PATH, got "usb"',
    ],
    [
      ['connect:', `  - ${RED}`, '  - die'],
      'line 4: connect: address must be six pairs of hex digits with colons, such as D1:CE:00:00:00:01, got "die"',
    ],
    [['devices: /nowhere'], 'line 2: devices cannot be read: there is no such file or folder'],
    [['prot: 3'], 'line 2: dice has no flag prot; the nearest is port'],
    [['scanSecs: 3'], 'line 2: dice has no flag scanSecs; the nearest is scan-secs'],
    [['--port: 3'], 'line 2: dice has no flag --port; the nearest is port'],
    [['idle-disconnect-secs: 3'], 'line 2: dice has no flag idle-disconnect-secs'],
    [['config: other.yml'], 'line 2: dice has no flag config'],
    [['port: 3', '', 'port: 4'], 'line 4: port is there already, in line 2'],
    [['port:'], 'line 2: port has no value'],
    [['allow-origin: null'], 'line 2: allow-origin has no value: put "null" in quotes if you mean the word'],
    [['port: [3]'], 'line 2: port takes one value, not a list'],
    [['connect: [[a]]'], 'line 2: connect must be a single value'],
    [['? [a]', ': b'], 'line 2: a flag must be named by a word'],
    [['port: 3', 'port 4'], 'line 3: it is not valid YAML: '],
    [['address: "a'], 'line 3: it is not valid YAML: '],
    [['address: !here a'], 'line 2: it is not valid YAML: '],
  ];
  for (const [lines, message] of wrong) {
    it(`is refused with the wrong line: ${JSON.stringify(lines.join('\n'))}`, async () => {
      write('version: 1', ...lines);
      const refused = await refusal();
      if (message.endsWith(': ')) expect(refused).to.contain(message).and.to.not.contain('\n');
      else expect(refused).to.equal(message);
    });
  }

  it('is refused if it does not exist, or has no map of flags', async () => {
    write('- port');
    expect(await refusal()).to.equal('line 1: it must hold flags by their names, such as port: 3000');
    expect(await configRefusalOf(diceCommand(), ['--config', '/nowhere.yml'])).to.equal(
      'error: /nowhere.yml: it cannot be read: there is no such file or folder',
    );
  });

  it('is refused for a wrong flag even if the command line sets this flag', async () => {
    write('version: 1', 'port: many');
    expect(await configRefusalOf(diceCommand(), [...config(), '--port', '0'])).to.contain(
      'line 2: port must be',
    );
  });

  const versions: readonly (readonly [readonly string[], string])[] = [
    [
      ['prot: 3', 'version: 7'],
      'line 2: it is of version 7, this airbench knows 1: install a newer airbench',
    ],
    [['port: &a [1]', 'version: &b [*a, *a]'], 'line 2: its version must be a whole number'],
    [['port: 1', 'version: &b [*b]'], 'line 2: its version must be a whole number'],
    [['port: 1', 'version: { <<: *nothing }'], 'line 2: its version must be a whole number'],
    [['version: one'], 'line 1: its version must be 1, got "one"'],
    [['port: many'], 'line 1: port must be a whole number from 0 to 65535'],
  ];
  for (const [lines, message] of versions)
    it(`stays unchanged when it is refused: ${JSON.stringify(lines.join('\n'))}`, async () => {
      write(...lines);
      expect(await refusal()).to.equal(message);
      expect(readdirSync(folder)).to.deep.equal(['airbench.yml']);
    });

  it('sets the flags of a rig and of its servers', async function () {
    requireUnix(this, 'signals to end a rig by');
    const origin = 'https://dice.example';
    write('version: 1', 'dice: 2', 'clocks: 0', `allow-origin: ${origin}`);
    const rig = Program.rig(config());
    const { headers } = await fetch(await rig.url('dice server'), { headers: { origin } });
    expect(headers.get('access-control-allow-origin')).to.equal(origin);
    const devices = await fetch(`${await rig.url('control API')}/devices`);
    expect(await devices.json()).to.have.length(2);
    expect(await rig.signal('SIGTERM')).to.include({ status: 0, stderr: '' });
  });
});
