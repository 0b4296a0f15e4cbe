import { expect } from 'chai';
import { describe, it } from 'mocha';
import { diceCommand } from '../../src/cli/servers/dice.js';
import { parseFlags, refusalOf } from '../support/flags.js';

describe('The flag --home-assistant', () => {
  const prefixOf = (...flags: readonly string[]): unknown =>
    parseFlags(diceCommand(), flags)['homeAssistant'];

  it('has the prefix that Home Assistant has, unless another is named', () => {
    expect(prefixOf()).to.equal(undefined);
    expect(prefixOf('--home-assistant')).to.equal('homeassistant');
    expect(prefixOf('--home-assistant', 'home/one')).to.equal('home/one');
  });

  it('takes no wildcard', () => {
    expect(refusalOf(diceCommand(), ['--home-assistant', 'home/+'])).to.contain('without + and #');
  });
});
