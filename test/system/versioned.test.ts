import { linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { keepCopy, upgrade } from '../../src/system/versioned.js';
import { newFolder } from '../support/folders.js';

const STEPS = [(older: string) => `${older} 0to1`, (older: string) => `${older} 1to2`];

describe('A file with a version', () => {
  for (const [version, content, from] of [
    [undefined, 'old 0to1 1to2', 0],
    [0, 'old 0to1 1to2', 0],
    [1, 'old 1to2', 1],
    [2, 'old', undefined],
  ] as const) {
    it(`of ${String(version)} takes the steps from there`, () => {
      expect(upgrade(STEPS, version, 'old')).to.deep.equal(E.right({ content, from }));
    });
  }

  for (const [version, sentence] of [
    [3, 'it is of version 3, this airbench knows 2: install a newer airbench'],
    [-1, 'its version must be a whole number, got -1'],
    [1.5, 'its version must be a whole number, got 1.5'],
    ['1', 'its version must be a whole number, got "1"'],
  ] as const) {
    it(`of ${JSON.stringify(version)} is refused`, () => {
      expect(upgrade(STEPS, version, 'old')).to.deep.equal(E.left(sentence));
    });
  }
});

describe('A copy of an older file', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = newFolder();
    path = join(folder, 'store');
    writeFileSync(path, 'old');
  });

  it('is beside it, named for its version', () => {
    expect(keepCopy(path, 3)).to.equal(`${path}.v3.bak`);
    expect(readFileSync(`${path}.v3.bak`, 'utf8')).to.equal('old');
  });

  it('never takes the place of another', () => {
    writeFileSync(`${path}.v0.bak`, 'older');
    writeFileSync(`${path}.v0-2.bak`, 'old, too');
    expect(keepCopy(path, 0)).to.equal(`${path}.v0-3.bak`);
    expect(readFileSync(`${path}.v0.bak`, 'utf8')).to.equal('older');
  });

  it('is not kept twice if a kill left it behind', () => {
    linkSync(path, `${path}.v0.bak`);
    expect(keepCopy(path, 0)).to.equal(`${path}.v0.bak`);
    expect(readdirSync(folder)).to.have.members(['store', 'store.v0.bak']);
  });
});
