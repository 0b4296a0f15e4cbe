import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import type { Action, Device } from '../../features/actors/actions.js';
import { Course } from '../../features/actors/course.js';
import { Operator } from '../../features/actors/operator.js';
import { Skip } from '../../features/actors/skip.js';
import type { Occasion, Sight } from '../../features/actors/watch.js';

const die: Device = { kind: 'dice', address: 'D1:CE:00:00:00:01', name: 'GoDice_000001_R_v04', color: 'red' };
const roll: Action = { type: 'roll', die: 'd6', face: 5, ending: 'stable' };

const ESCAPE = '\u001b';
const LEAVE = `${ESCAPE}[?1049l`;

describe('An operator', () => {
  const open: Operator[] = [];

  afterEach(() => open.splice(0).forEach((operator) => operator.close()));

  /** Asks for a roll. `outcome` is the error of the action, undefined if it is done. */
  const ask = (secs = 10) => {
    const terminal = { input: new PassThrough(), output: new PassThrough() };
    const operator = new Operator(terminal, secs, 'bench-1', new Course());
    open.push(operator);
    let sight: Sight | undefined = { text: 'no event yet', complete: false };
    const notes: string[] = [];
    let agains = 0;
    const occasion: Occasion = {
      sight: () => sight,
      again: () => (agains += 1),
      note: (text) => notes.push(text),
    };
    const outcome = operator.act(die, roll, occasion).then(
      () => undefined,
      (error: unknown) => error,
    );
    return {
      ...{ outcome, notes, operator },
      agains: () => agains,
      press: (keys: string) => terminal.input.write(keys),
      see: (text: string, complete: boolean) => (sight = { text, complete }),
      output: () => String(terminal.output.read()),
    };
  };

  it('shows task and device, and takes Enter as confirmation', async () => {
    const { outcome, press, output } = ask();
    press('\r');
    expect(await outcome).to.be.undefined;
    expect(output())
      .to.contain('Roll the red die as a d6 until it shows 5.')
      .and.to.contain('GoDice_000001_R_v04 · red · D1:CE:00:00:00:01');
  });

  it('needs no key when all that is expected has come', async () => {
    const { outcome, see } = ask();
    see('Stable 5 seen', true);
    expect(await outcome).to.be.undefined;
  });

  it('skips the scenario with a typed reason', async () => {
    const { outcome, press } = ask();
    press('sno chargers\u007f here\r');
    const reason = await outcome;
    expect(reason).to.be.an.instanceOf(Skip);
    expect(reason).to.have.property('reason', 'the operator skipped it: no charger here');
  });

  it('may skip the scenario without a reason', async () => {
    const { outcome, press } = ask();
    press('s\r');
    expect(await outcome).to.have.property('reason', 'the operator skipped it');
  });

  it('keeps a typed note, unless Escape drops it', async () => {
    const { outcome, press, notes } = ask();
    press('nLED is dim\rnnonsense');
    press(ESCAPE);
    press('\r');
    expect(await outcome).to.be.undefined;
    expect(notes).to.deep.equal(['LED is dim']);
  });

  it('finishes a note before the screen goes on', async () => {
    const { outcome, press, see, notes } = ask();
    press('nit is ');
    see('Stable 5 seen', true);
    press('warm\r');
    await outcome;
    expect(notes).to.deep.equal(['it is warm']);
  });

  it('begins the action again with a', async () => {
    const { outcome, press, agains } = ask();
    press('aA\r');
    await outcome;
    expect(agains()).to.equal(2);
  });

  it('is not disturbed by arrows and function keys', async () => {
    const { outcome, press, notes } = ask();
    press(`n${ESCAPE}[A${ESCAPE}OPup${ESCAPE}[3~\r\r`);
    await outcome;
    expect(notes).to.deep.equal(['up']);
  });

  it('fails the step without an answer in time', async () => {
    expect(String(await ask(0.05).outcome)).to.contain(
      'did not answer within 0.05 s: Roll die D1:CE:00:00:00:01 (GoDice_000001_R_v04)',
    );
  });

  it('has the terminal back at the end', async () => {
    const { operator, outcome, press, output } = ask();
    press('\r');
    await outcome;
    operator.close();
    expect(output()).to.satisfy((text: string) => text.endsWith(LEAVE));
  });
});
