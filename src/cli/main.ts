import { Command } from 'commander';
import { version } from '../system/package.js';
import { COMMANDS } from './commands.js';
import { endOnMisuse } from './options/usage.js';

const [, , name = ''] = process.argv;
const load = COMMANDS.get(name);

const program = new Command('airbench')
  .enablePositionalOptions()
  .description(
    'Bluetooth dice and clocks on the network, and a virtual radio to run and test them without hardware',
  )
  .version(version);

const isVersion = name === '--version' || name === '-V';
// Without a known command the help lists all of them.
const loads = load === undefined ? (isVersion ? [] : COMMANDS.values()) : [load];
for (const each of loads) program.addCommand(await each());
for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)])
  endOnMisuse(command);

await program.parseAsync();
