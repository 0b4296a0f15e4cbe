#!/usr/bin/env node
import { Command } from 'commander';
import { version } from '../package.js';
import { airCommand } from './air.js';
import { clockCommand } from './clock.js';
import { fleetCommand } from './fleet.js';
import { diceCommand } from './dice.js';
import { doctorCommand } from './doctor.js';
import { installServiceCommand } from './install-service.js';
import { replayCommand } from './replay.js';
import { rigCommand } from './rig.js';
import { endOnMisuse } from './usage.js';

const program = new Command('airbench')
  .description('Bluetooth dice and clocks on the network, and the virtual radio that proves them')
  .version(version)
  .addCommand(diceCommand())
  .addCommand(clockCommand())
  .addCommand(fleetCommand())
  .addCommand(airCommand())
  .addCommand(rigCommand())
  .addCommand(replayCommand())
  .addCommand(doctorCommand())
  .addCommand(installServiceCommand());

for (const command of [program, ...program.commands]) endOnMisuse(command);

await program.parseAsync();
