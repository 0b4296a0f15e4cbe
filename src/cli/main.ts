#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { airCommand } from './air.js';
import { clockCommand } from './clock.js';
import { diceCommand } from './dice.js';
import { doctorCommand } from './doctor.js';
import { replayCommand } from './replay.js';
import { rigCommand } from './rig.js';
import { endOnMisuse } from './usage.js';

const version = pipe(
  t
    .type({ version: t.string })
    .decode(JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))),
  E.match(
    () => 'unknown',
    (manifest) => manifest.version,
  ),
);

const program = new Command('airbench')
  .description('Bluetooth dice and clocks on the network, and the virtual radio that proves them')
  .version(version)
  .addCommand(diceCommand())
  .addCommand(clockCommand())
  .addCommand(airCommand())
  .addCommand(rigCommand())
  .addCommand(replayCommand())
  .addCommand(doctorCommand());

for (const command of [program, ...program.commands]) endOnMisuse(command);

await program.parseAsync();
