import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import {
  NUS_NOTIFY,
  NUS_SERVICE,
  NUS_WRITE,
  formatName,
  isDiceName,
  parseName,
  type DieName,
} from '../../../src/protocols/godice/index.js';

const names: readonly (readonly [string, DieName])[] = [
  ['GoDice_7D8E7D_O_v04', { id: '7D8E7D', colour: 'orange', generation: 4 }],
  ['GoDice_0D89BF_K_v04', { id: '0D89BF', colour: 'black', generation: 4 }],
  ['GoDice_5F9714_B_v04', { id: '5F9714', colour: 'blue', generation: 4 }],
  ['GoDice_19CCE4_Y_v04', { id: '19CCE4', colour: 'yellow', generation: 4 }],
  ['GoDice_1A2B3C_R_v03', { id: '1A2B3C', colour: 'red', generation: 3 }],
  ['GoDice_00BEEF_G_v12', { id: '00BEEF', colour: 'green', generation: 12 }],
  ['GoDice_B0940_K_v03', { id: 'B0940', colour: 'black', generation: 3 }],
  ['GoDice_001234', { id: '001234', colour: null, generation: null }],
  ['GoDice_001234_R', { id: '001234', colour: 'red', generation: null }],
  ['GoDice_001234_v03', { id: '001234', colour: null, generation: 3 }],
  ['GoDice_Proto_Test', { id: 'Proto_Test', colour: null, generation: null }],
];

describe('dice protocol: names', () => {
  for (const [name, parts] of names) {
    it(`reads and writes ${name}`, () => {
      expect(isDiceName(name)).to.be.true;
      expect(parseName(name)).to.deep.equal(E.right(parts));
      expect(formatName(parts)).to.equal(name);
    });
  }

  for (const name of ['', 'GoDice', 'godice_001234', 'Qingping Alarm Clock', 'My GoDice_001234']) {
    it(`rejects the name "${name}"`, () => {
      expect(isDiceName(name)).to.be.false;
      expect(E.isLeft(parseName(name))).to.be.true;
    });
  }

  it('recognises a die by the bare prefix of its name', () => {
    expect(isDiceName('GoDice_')).to.be.true;
    expect(parseName('GoDice_')).to.deep.equal(
      E.left({
        _tag: 'ParseError',
        code: 'invalid_input',
        message: `a die's name must look like GoDice_7D8E7D_O_v04, got "GoDice_"`,
      }),
    );
  });

  it('writes back every name it reads', () => {
    fc.assert(
      fc.property(fc.string(), (rest) => {
        const read = parseName(`GoDice_${rest}`);
        if (E.isRight(read)) expect(formatName(read.right)).to.equal(`GoDice_${rest}`);
      }),
    );
  });
});

describe('dice protocol: GATT', () => {
  it('uses the Nordic UART service', () => {
    const dashed = (uuid: string): string =>
      uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5');
    expect(dashed(NUS_SERVICE)).to.equal('6e400001-b5a3-f393-e0a9-e50e24dcca9e');
    expect(dashed(NUS_WRITE)).to.equal('6e400002-b5a3-f393-e0a9-e50e24dcca9e');
    expect(dashed(NUS_NOTIFY)).to.equal('6e400003-b5a3-f393-e0a9-e50e24dcca9e');
  });
});
