import { expect } from 'chai';
import { describe, it } from 'mocha';
import { periodOf, type Grouping } from '../../src/page/dice/periods.js';

/** Rolls at local times of two days, such as `1 19:05`. */
const rollsAt = (...times: readonly string[]) =>
  times.map((text) => {
    const [day = '', clock = ''] = text.split(' ');
    return { text, time: new Date(`2026-11-0${day}T${clock}`).toISOString() };
  });

const lastOf = (by: Grouping, ...times: readonly string[]): readonly string[] =>
  periodOf(by, rollsAt(...times)).map(({ text }) => text);

describe('The last rolls', () => {
  it('of an evening end at a gap of two hours, and go on after midnight', () => {
    expect(lastOf('evening', '1 18:00', '1 20:00', '1 21:59', '1 23:50', '2 00:10')).to.deep.equal([
      '1 20:00',
      '1 21:59',
      '1 23:50',
      '2 00:10',
    ]);
  });

  it('of a day end at midnight, and have every gap', () => {
    expect(lastOf('day', '1 23:59', '2 00:00', '2 09:00', '2 20:00')).to.deep.equal([
      '2 00:00',
      '2 09:00',
      '2 20:00',
    ]);
  });

  it('are all rolls without a period', () => {
    expect(lastOf('all', '1 00:00', '2 20:00')).to.deep.equal(['1 00:00', '2 20:00']);
  });

  it('is an empty list without rolls', () => {
    expect(lastOf('evening')).to.deep.equal([]);
  });
});
