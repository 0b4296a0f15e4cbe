import { expect } from 'chai';
import { describe, it } from 'mocha';
import { linesOf } from '../../simulators/page/map-label.js';

const DIE = { short: '00:09', name: 'GoDice_000009_R_v04', isChosen: false };

describe('The label of a device on the map', () => {
  it('has the end of the address, and the name where it fits', () => {
    expect(linesOf({ ...DIE, letters: 19 })).to.deep.equal(['00:09', 'GoDice_000009_R_v04']);
  });

  it('has a longer name in two lines, to its end', () => {
    expect(linesOf({ ...DIE, letters: 13 })).to.deep.equal(['00:09 GoDice_', '000009_R_v04']);
    expect(linesOf({ ...DIE, name: 'Qingping Alarm Clock', letters: 14 })).to.deep.equal([
      '00:09 Qingping',
      'Alarm Clock',
    ]);
  });

  it('has no name where two lines are too narrow, unless the device is chosen', () => {
    expect(linesOf({ ...DIE, letters: 12 })).to.deep.equal(['00:09']);
    expect(linesOf({ ...DIE, letters: 12, isChosen: true })).to.deep.equal(['00:09 GoDice_', '000009_R_v04']);
  });

  it('keeps a name without a space, line or dash whole', () => {
    const label = { ...DIE, name: 'Pixel00000001', letters: 12, isChosen: true };
    expect(linesOf(label)).to.deep.equal(['00:09', 'Pixel00000001']);
  });
});
