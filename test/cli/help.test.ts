/** The help of each command is in groups that fit a screen. */
import { Command } from 'commander';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { COMMANDS } from '../../src/cli/commands.js';
import { helpOf } from '../support/flags.js';

const LONGEST_GROUP = 25;

/** The headings of a help, each with its number of lines. */
const groupsOf = (help: string): ReadonlyMap<string, number> =>
  new Map(
    help
      .split('\n\n')
      .map((paragraph) => paragraph.trim().split('\n'))
      .map(([heading = '', ...lines]) => [heading, lines.length] as const),
  );

const longGroupsOf = (command: Command): readonly string[] =>
  [...groupsOf(helpOf(command))].filter(([, lines]) => lines > LONGEST_GROUP).map(([heading]) => heading);

const withSubcommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
];

describe('The help', () => {
  it('of airbench has commands in groups of at most 25 lines', async () => {
    const program = new Command('airbench');
    for (const load of COMMANDS.values()) program.addCommand(await load());
    expect(longGroupsOf(program)).to.deep.equal([]);
    expect([...groupsOf(helpOf(program)).keys()]).to.include.members(['Servers:', 'Simulation:']);
  });

  for (const [name, load] of COMMANDS)
    it(`of ${name} and its subcommands has groups of at most 25 lines, and if long, each option in one`, async () => {
      for (const command of withSubcommands(await load())) {
        expect(longGroupsOf(command)).to.deep.equal([]);
        const isLong = helpOf(command).split('\n').length > LONGEST_GROUP;
        const outside = isLong ? command.options.filter(({ helpGroupHeading }) => !helpGroupHeading) : [];
        expect(outside.map(({ flags }) => flags)).to.deep.equal([]);
      }
    });
});
