import { expect } from 'chai';
import { describe, it } from 'mocha';
import { formatTimeOfDay, parseTimeOfDay, type TimeOfDay } from '../../../src/protocols/cgd1/index.js';

const times: readonly (readonly [string, TimeOfDay])[] = [
  ['00:00', { hour: 0, minute: 0 }],
  ['07:30', { hour: 7, minute: 30 }],
  ['23:05', { hour: 23, minute: 5 }],
  ['255:61', { hour: 255, minute: 61 }],
];

describe('A time of day', () => {
  for (const [text, time] of times) {
    it(`is written and read as ${text}`, () => {
      expect(formatTimeOfDay(time)).to.equal(text);
      expect(parseTimeOfDay(text)).to.deep.equal(time);
    });
  }
});
