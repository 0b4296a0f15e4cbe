import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { checkVersion } from '../../src/system/files.js';

describe('The version of a file', () => {
  for (const version of [undefined, 1]) {
    it(`is accepted: ${String(version)}`, () => {
      expect(checkVersion(version)).to.deep.equal(E.right(undefined));
    });
  }

  for (const [version, message] of [
    [3, 'it is of version 3, this airbench knows 1: install a newer airbench'],
    [0, 'its version must be 1, got 0'],
    [1.5, 'its version must be 1, got 1.5'],
    ['1', 'its version must be 1, got "1"'],
    [null, 'its version must be 1, got null'],
  ] as const) {
    it(`is refused: ${JSON.stringify(version)}`, () => {
      expect(checkVersion(version)).to.deep.equal(E.left(message));
    });
  }
});
