import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { joined } from '../../features/report/parts.js';
import { readRuns } from '../../features/report/folder.js';
import { Control } from '../../simulators/testing/index.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { CTRL_C, Terminal } from '../support/terminal.js';

const FEATURE = `
@dice @operator
Feature: An operator

  Scenario: The first
    Given a connected die and a client of the event stream
    When the die rolls 5
    Then each client receives RollStart, then Stable 5

  Scenario: The second
    Given a connected die and a client of the event stream
    When the die rolls 3
    Then each client receives RollStart, then Stable 3
`;

const LEAVE_SCREEN = '\u001b[?1049l';

describe('A run with an operator', () => {
  let bench: string;
  let feature: string;
  let reports: string;
  let control: Control;

  before(async () => {
    const folder = newFolder();
    const rig = Program.rig(['--pace', 'fast', '--data-dir', folder]);
    const controlUrl = await rig.url('control API');
    control = new Control(controlUrl);
    bench = join(folder, 'bench.json');
    reports = join(folder, 'reports');
    feature = join(folder, 'operator.feature');
    writeFileSync(feature, FEATURE);
    const servers = {
      dice: { url: await rig.url('dice server') },
      clock: { url: await rig.url('clock server') },
    };
    writeFileSync(bench, JSON.stringify({ servers, control: controlUrl, actuators: { others: 'operator' } }));
  });

  after(endPrograms);

  /** Waits until the operator is asked for a roll, and rolls. */
  const rollWhenAsked = async (terminal: Terminal, face: number): Promise<void> => {
    await terminal.shown(new RegExp(`until it shows ${face}`));
    const [address = ''] = terminal.text.match(/(?:[0-9A-F]{2}:){5}[0-9A-F]{2}/g)?.slice(-1) ?? [];
    await control.act(address, { type: 'roll', die: 'd6', face, ending: 'stable' });
  };

  it('goes on by itself after the expected events, ends in order with Ctrl-C, and is resumed', async function () {
    const flags = ['features', '--bench', bench, '--report', reports];
    const first = Terminal.of(this, [...flags, feature]);
    await rollWhenAsked(first, 5);
    await first.shown(/until it shows 3/);
    first.type(CTRL_C);
    expect((await first.program.ended).status).to.equal(130);
    expect(first.text).to.contain(LEAVE_SCREEN);

    const second = Terminal.of(this, [...flags, '--resume']);
    await rollWhenAsked(second, 3);
    expect((await second.program.ended).status).to.equal(0);

    const parts = right(readRuns(join(reports, 'attach')));
    expect(parts.map(({ run }) => run.interrupted)).to.deep.equal([true, false]);
    const run = joined(parts);
    expect([...run.outcomes.values()].map((outcome) => outcome.status)).to.deep.equal(['passed', 'passed']);
  });
});
