/** Errors of a command line, as the commands see them; refusals.e2e.test.ts has their status. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { airCommand } from '../../simulators/cli/air.js';
import { clockCommand } from '../../src/cli/servers/clock.js';
import { diceCommand } from '../../src/cli/servers/dice.js';
import { fleetCommand } from '../../src/cli/servers/fleet.js';
import { importCommand } from '../../simulators/cli/import.js';
import { linuxCommand } from '../../simulators/cli/linux.js';
import { replayCommand } from '../../simulators/cli/replay.js';
import { rigCommand } from '../../simulators/cli/rig.js';
import { vhciCommand } from '../../simulators/cli/vhci.js';
import { helpOf, misuseOf } from '../support/flags.js';

const COMMANDS = [diceCommand, clockCommand, airCommand, rigCommand, replayCommand, linuxCommand];
const BENCH = ['--adapter', 'hci77', '--device', 'dice'];

describe('A command of airbench', () => {
  for (const command of COMMANDS) {
    const shown = command();
    it(`shows flags and examples: ${shown.name()} --help`, () => {
      expect(helpOf(shown)).to.contain('Examples:').and.to.contain('--verbose');
    });
  }

  for (const [command, args, part] of [
    [rigCommand, ['--pace', 'slow'], '--pace'],
    [rigCommand, ['--chaos', '.'], 'it cannot be read: it is a folder'],
    [rigCommand, ['--chaos', 'package.json'], '--chaos'],
    [rigCommand, ['--unknown'], '--unknown'],
    [airCommand, ['--seed', '1.5'], '--seed'],
    [airCommand, ['--strict', 'very'], '--strict'],
    [airCommand, ['--devices', 'nowhere.json'], 'it cannot be read: there is no such file or folder'],
    [airCommand, ['--devices', 'package.json/x'], 'it cannot be read: a part of its path is no folder'],
    [airCommand, ['--chaos', 'nowhere.json'], '--chaos'],
    [airCommand, ['--hci-socket', `/tmp/${'x'.repeat(120)}`], '--hci-socket'],
    [airCommand, ['--adapter', 'hci1'], '--adapter <hciN>'],
    [airCommand, ['--device', 'dice'], "option '--device <kind>' needs --adapter"],
    [airCommand, ['--adapter', 'tcp:localhost:6402', '--device', 'dice'], 'it must be default or hciN'],
    [airCommand, ['--adapter', 'hci1', '--device', 'cube'], 'it must be one of dice, clock, pixels'],
    [airCommand, [...BENCH, '--dice', '3'], "option '--dice <number>' needs the virtual radio"],
    [airCommand, [...BENCH, '--devices', 'package.json'], '--devices <file>'],
    [airCommand, [...BENCH, '--pace', 'fast'], "option '--pace <pace>' needs the virtual radio"],
    [airCommand, [...BENCH, '--hci-port', '0'], "option '--hci-port <number>' needs the virtual radio"],
    [airCommand, ['--report', 'r.xml'], "option '--report <file>' needs --strict"],
    [airCommand, ['--fail-on-violation'], "option '--fail-on-violation' needs --strict"],
    [airCommand, ['--strict', '--report', 'r.pdf'], 'it must end in .xml, for JUnit, or in .html'],
    [vhciCommand, ['--hci', 'hci0'], 'it must be tcp:HOST:PORT or unix:PATH'],
    [replayCommand, ['.'], 'it cannot be read: it is a folder'],
    [replayCommand, ['package.json', '--device', 'die'], "option '--device <address>'"],
    [replayCommand, ['./package.json', '--trace', 'package.json'], 'would overwrite ./package.json'],
    [importCommand, ['nowhere.json', 'd.yaml'], 'it cannot be read: there is no such file or folder'],
    [importCommand, ['README.md', 'd.yaml'], 'README.md cannot be imported: it is not valid JSON'],
    [
      importCommand,
      ['package.json', 'd.yaml'],
      'package.json cannot be imported: the file is neither a configuration of Bumble',
    ],
    [fleetCommand, ['--discover', '--forget', 'hall'], "with option '--forget <device or server>'"],
    [linuxCommand, [], "missing required argument 'command'"],
    [linuxCommand, ['--keep', 'a', '--', 'true'], "option '--keep <name>' takes no command"],
    [linuxCommand, ['--in', 'a/b', '--', 'true'], 'it must be a name of 1 to 40 letters'],
    [
      linuxCommand,
      ['--in', 'lab', '--forward', '8000:80', '--', 'true'],
      "option '--forward <ports>' is of a new guest: give it with --keep, not with --in",
    ],
    [linuxCommand, ['--adapters', '9', '--', 'true'], 'it must be a whole number from 1 to 8'],
    [linuxCommand, ['--memory', '1G', '--', 'true'], 'it must be a whole number from 512 to 65536'],
    [linuxCommand, ['--cpus', '0', '--', 'true'], 'it must be a whole number from 1 to 32'],
    [linuxCommand, ['--prune', '--', 'true'], "option '--prune [days]' takes no command"],
    [linuxCommand, ['--prune', 'soon'], 'it must be a whole number of days'],
    [linuxCommand, ['--forward', '3000', '--', 'true'], 'it must be HERE:THERE'],
    [linuxCommand, ['--packages', 'python3-bleak,', '--', 'true'], 'it must be names of packages'],
    [linuxCommand, ['--hci', 'hci0', '--', 'true'], 'it must be tcp:HOST:PORT or unix:PATH'],
    [linuxCommand, ['--hci', 'tcp:localhost:6402', '--dice', '1', '--', 'true'], "option '--dice <number>'"],
  ] as const) {
    const used = command();
    it(`refuses ${used.name()} ${args.join(' ')} in one message`, async () => {
      const message = await misuseOf(used, args);
      expect(message).to.contain(part).and.not.contain('\n');
    });
  }
});
