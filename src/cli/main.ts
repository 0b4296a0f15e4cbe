#!/usr/bin/env node
import { Command } from 'commander';
import { version } from '../package.js';
import { endOnMisuse } from './usage.js';

/** Each command is loaded when it is asked for: together they are a thousand files. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  dice: async () => (await import('./dice.js')).diceCommand(),
  clock: async () => (await import('./clock.js')).clockCommand(),
  air: async () => (await import('./air.js')).airCommand(),
  fleet: async () => (await import('./fleet.js')).fleetCommand(),
  rig: async () => (await import('./rig.js')).rigCommand(),
  vhci: async () => (await import('./vhci.js')).vhciCommand(),
  record: async () => (await import('./record.js')).recordCommand(),
  replay: async () => (await import('./replay.js')).replayCommand(),
  linux: async () => (await import('./linux.js')).linuxCommand(),
  doctor: async () => (await import('./doctor.js')).doctorCommand(),
  'install-service': async () => (await import('./install-service.js')).installServiceCommand(),
};

const [, , asked = ''] = process.argv;
const wanted = COMMANDS[asked];

const program = new Command('airbench')
  .description('Bluetooth dice and clocks on the network, and the virtual radio that proves them')
  .version(version);

// Whoever asks for none of them is told of all.
for (const load of wanted === undefined ? Object.values(COMMANDS) : [wanted])
  program.addCommand(await load());
for (const command of [program, ...program.commands]) endOnMisuse(command);

await program.parseAsync();
