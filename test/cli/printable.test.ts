import { expect } from 'chai';
import { describe, it } from 'mocha';
import { printable } from '../../src/cli/output/print.js';

describe('Text of others, made printable', () => {
  for (const [what, text, shown] of [
    ['an ANSI escape', '\u001b[2Jgone', '\\u001b[2Jgone'],
    ['a CSI in one character', '\u009b31m', '\\u009b31m'],
    ['a line break', 'one\r\ntwo', 'one\\u000d\\u000atwo'],
    ['an override of the direction', 'gpj.\u202eexe', 'gpj.\\u202eexe'],
    ['invisible characters', 'a\u200b\u2066b\ufeff', 'a\\u200b\\u2066b\\ufeff'],
    ['a line separator', 'a\u2028b', 'a\\u2028b'],
    ['an invisible character outside of the basic plane', 'a\u{e0041}', 'a\\udb40\\udc41'],
    ['half a character', 'a\ud83d', 'a\\ud83d'],
  ] as const) {
    it(`shows ${what} as its escape`, () => expect(printable(text)).to.equal(shown));
  }

  it('leaves letters of all scripts, signs and emoji as they are', () => {
    const text = 'Küche 目覚まし مطبخ 🎲 “die” −3 \\';
    expect(printable(text)).to.equal(text);
  });

  it('keeps the value of a line of JSON', () => {
    const value = { name: 'x\u009b\u202e\u{e0041}"' };
    expect(JSON.parse(printable(JSON.stringify(value)))).to.deep.equal(value);
  });
});
