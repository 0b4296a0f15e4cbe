import { expect } from 'chai';
import { describe, it } from 'mocha';
import { textOf } from '../../src/cli/output/log-text.js';
import { printable } from '../../src/cli/output/print.js';

const AT = new Date(2026, 0, 2, 3, 4, 5).getTime();

const line = (entry: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ level: 30, time: AT, pid: 7, hostname: 'h', name: 'dice server', ...entry });

describe('A line of the log for people', () => {
  it('has time, level, source, message and fields', () => {
    const entry = {
      msg: 'connected',
      address: 'D1:CE:00:00:00:01',
      rssi: -60,
      note: 'two words',
      of: { a: 1 },
    };
    expect(textOf(line(entry), false)).to.equal(
      '03:04:05  info     dice server   connected  address=D1:CE:00:00:00:01  rssi=-60  note="two words"  of={"a":1}',
    );
  });

  it('has the message of an error once, and the stack at the level error', () => {
    const err = { type: 'Error', message: 'no route', stack: 'Error: no route\n    at f (file.ts:1:2)' };
    expect(textOf(line({ level: 40, msg: 'lost', err }), false)).to.equal(
      '03:04:05  warning  dice server   lost (no route)',
    );
    expect(textOf(line({ level: 40, msg: 'lost: no route', err }), false)).to.equal(
      '03:04:05  warning  dice server   lost: no route',
    );
    expect(textOf(line({ level: 50, msg: 'failed', err }), false)).to.equal(
      '03:04:05  error    dice server   failed (no route)\n    at f (file.ts:1:2)',
    );
  });

  it('has a colour for the level on a terminal with colours', () => {
    expect(textOf(line({ level: 40, msg: 'hot' }), true)).to.contain('\u001b[33mwarning\u001b[39m');
  });

  it('has escapes instead of foreign control characters', () => {
    const text = textOf(line({ msg: 'said \u001b[2J', 'k\u202e': '\u009b\n' }), false);
    expect(text).to.match(/said \\u001b\[2J {2}k\\u202e="\\u009b\\n"$/);
  });

  for (const [kind, text] of [
    ['a message', 'the clock server ended with status 1'],
    ['broken JSON', '{"level":30,'],
  ] as const) {
    it(`stays unchanged if it is ${kind} and not an entry of the log`, () =>
      expect(textOf(text, true)).to.equal(text));
  }
});

describe('Foreign text, made printable,', () => {
  for (const [kind, text, shown] of [
    ['an ANSI escape', '\u001b[2Jgone', '\\u001b[2Jgone'],
    ['a CSI in one character', '\u009b31m', '\\u009b31m'],
    ['a line break', 'one\r\ntwo', 'one\\u000d\\u000atwo'],
    ['an override of the direction', 'gpj.\u202eexe', 'gpj.\\u202eexe'],
    ['invisible characters', 'a\u200b\u2066b\ufeff', 'a\\u200b\\u2066b\\ufeff'],
    ['a line separator', 'a\u2028b', 'a\\u2028b'],
    ['an invisible character outside of the basic plane', 'a\u{e0041}', 'a\\udb40\\udc41'],
    ['half a character', 'a\ud83d', 'a\\ud83d'],
  ] as const) {
    it(`has an escape instead of ${kind}`, () => expect(printable(text)).to.equal(shown));
  }

  it('keeps letters of all scripts, signs and emoji', () => {
    const text = 'Küche 目覚まし مطبخ 🎲 “die” −3 \\';
    expect(printable(text)).to.equal(text);
  });

  it('keeps the value of a line of JSON', () => {
    const value = { name: 'x\u009b\u202e\u{e0041}"' };
    expect(JSON.parse(printable(JSON.stringify(value)))).to.deep.equal(value);
  });
});
