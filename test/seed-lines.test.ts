import { readFileSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { diceBreaks } from './breaks/dice-breaks.js';

interface SeedLine {
  readonly tag: string;
  readonly line: string;
}

/** Seen in the flags of the program alone: nothing between suite and server can break it. */
const NOT_ON_THE_NETWORK = ['@D-listens'];

describe('The lines of the dice seed', () => {
  const folder = 'features/dice';
  const lines = JSON.parse(readFileSync(`${folder}/seed-lines.json`, 'utf8')) as readonly SeedLine[];
  const tags = lines.map(({ tag }) => tag);
  const used = readdirSync(folder)
    .filter((file) => file.endsWith('.feature'))
    .flatMap((file) => readFileSync(`${folder}/${file}`, 'utf8').match(/@D-[\w-]+/g) ?? []);

  it('are each listed once', () => {
    expect(new Set(tags).size).to.equal(tags.length);
  });

  it('have a scenario each', () => {
    expect(tags.filter((tag) => !used.includes(tag))).to.be.empty;
  });

  it('are all that scenarios are tagged with', () => {
    expect(used.filter((tag) => !tags.includes(tag))).to.be.empty;
  });

  it('are each broken by the proxy, to see that their scenarios notice', () => {
    const broken = diceBreaks.map(({ tag }) => tag);
    expect(tags.filter((tag) => !broken.includes(tag))).to.deep.equal(NOT_ON_THE_NETWORK);
  });
});
