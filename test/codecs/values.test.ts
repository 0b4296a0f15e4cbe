import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import {
  anyInteger,
  anything,
  bytes,
  checked,
  closedObject,
  deviceAddress,
  integer,
  integerInText,
  json,
  line,
  matching,
  numberInText,
  object,
  oneOf,
  tagged,
  decode,
  instantInText,
  parseError,
} from '../../src/codecs/index.js';
import { left } from '../support/either.js';

/** A zero-width space, a soft hyphen, a noncharacter, an unassigned character, a tag, and others that show nothing. */
const INVISIBLE = [
  ...['\u200B', '\u00AD', '\uFFFF', '\u0378', '\u{E0041}', '\u{E0001}', '\u{10FFFF}', '\u2060'],
  ...['\uFEFF', '\uFE0F', '\u034F', '\u3164', '\u115F', '\u2800', '\u3000', '\u00A0', '\u200B \u200D'],
];

describe('a codec', () => {
  it('puts addresses into upper case and refuses other forms', () => {
    expect(deviceAddress.decode('aa:bb:cc:dd:ee:0f')).to.deep.equal(E.right('AA:BB:CC:DD:EE:0F'));
    const other = ['aa-bb-cc-dd-ee-ff', 'aabbccddeeff', 'gg:bb:cc:dd:ee:ff'];
    for (const bad of ['', 'aa:bb:cc:dd:ee', 'aa:bb:cc:dd:ee:0f:', ':aa:bb:cc:dd:ee:0f', ...other, 12])
      expect(deviceAddress.decode(bad), String(bad)).to.satisfy(E.isLeft);
  });

  it('takes bytes, and any JSON', () => {
    expect(bytes('audio/wav').decode(Buffer.from('ab'))).to.deep.equal(E.right(Buffer.from('ab')));
    expect(json().decode({ any: 1 })).to.deep.equal(E.right({ any: 1 }));
    expect(json().is('any')).to.equal(true);
    expect(anything.is('any')).to.equal(true);
  });

  it('recognises and writes the values of a check, a tag or a closed object', () => {
    const closed = closedObject({ secs: numberInText(0, 10) });
    const even = checked(object({ n: anyInteger }), ({ n }) => (n % 2 === 0 ? E.right(n) : E.left('odd')));
    const roll = object({ type: oneOf(['roll']), face: integer(1, 6) });
    const action = tagged('type', { roll });
    for (const [codec, yes, no] of [
      [integer(-10, 20, 10), [-10, 0, 20], [15]],
      [closed, [{ secs: 5 }], [{ secs: '5' }]],
      [even, [{ n: 2 }], [{ n: 3 }, {}]],
      [action, [{ type: 'roll', face: 6 }], [{ type: 'roll' }, 7]],
    ] as const) {
      expect(yes.filter((value) => !codec.is(value))).to.deep.equal([]);
      expect((no as readonly unknown[]).filter((value) => codec.is(value))).to.deep.equal([]);
    }
    expect(closed.encode({ secs: 5 })).to.deep.equal({ secs: '5' });
    expect(action.encode({ type: 'roll', face: 1 })).to.deep.equal({ type: 'roll', face: 1 });
  });

  it('reads whole numbers of a query as they are usually written', () => {
    const since = integerInText(0, 40);
    for (const digits of ['0', '7', '40'])
      expect(since.decode(digits)).to.deep.equal(E.right(Number(digits)));
    for (const bad of ['', ' 1', '1.0', '1e1', '0x10', '-1', '41', 5]) {
      expect(decode(object({ since }), 'the query')({ since: bad })).to.deep.equal(
        E.left(parseError(`since must be a whole number from 0 to 40, got ${JSON.stringify(bad)}`)),
      );
    }
    expect([since.is(5), since.is(0.5), since.encode(5)]).to.deep.equal([true, false, '5']);
  });

  it('reads numbers of a query as they are usually written', () => {
    const secs = numberInText(0.1, 600);
    for (const written of ['0.5', '0.1', '0.25', '12', '600'])
      expect(secs.decode(written)).to.deep.equal(E.right(Number(written)));
    expect([secs.is(5), secs.is('5')]).to.deep.equal([true, false]);
    for (const bad of ['', ' 1', '1e2', '0x10', '-1', '0', '601', 'Infinity', '1.', 5])
      expect(secs.decode(bad), String(bad)).to.satisfy(E.isLeft);
    expect(secs.encode(5)).to.equal('5');
  });

  it('reads an instant with any offset, and writes it in UTC', () => {
    for (const [written, instant] of [
      ['2026-11-26T19:30:00+01:00', '2026-11-26T18:30:00.000Z'],
      ['2026-11-26T19:30:00 01:00', '2026-11-26T18:30:00.000Z'],
      ['2026-11-26T19:30-0130', '2026-11-26T21:00:00.000Z'],
      ['2026-11-26T19:30z', '2026-11-26T19:30:00.000Z'],
      ['2026-11-26T19:30:05.5Z', '2026-11-26T19:30:05.500Z'],
      ['2026-11-26T19:30:05.123456789Z', '2026-11-26T19:30:05.123Z'],
      ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ] as const) {
      const date = new Date(instant);
      expect(instantInText.decode(written), written).to.deep.equal(E.right(date));
      expect(instantInText.encode(date)).to.equal(instant);
      expect([instantInText.is(date), instantInText.is(instant)]).to.deep.equal([true, false]);
    }
  });

  it('refuses an instant in another form', () => {
    const date = '2026-11-26';
    const bad = ['T24:30Z', 'T19:30', 'T19Z', 'T19:3Z', 'T19:30:5Z', 'T19:30:05.Z', 'T19:30:05.1234567890Z'];
    const parts = [' 19:30Z', 'T19:30+1', 'T19:30+01:0', 'T19:30*01:00', 'T19:30Z ', 'T19:30Z+01:00'];
    for (const text of [
      ...[...bad, ...parts, ''].map((time) => date + time),
      ` ${date}T19:30Z`,
      '26-11-26T19:30Z',
    ])
      expect(instantInText.decode(text), text).to.satisfy(E.isLeft);
    expect(instantInText.decode([`${date}T19:30Z`])).to.satisfy(E.isLeft);
  });

  it('refuses a line without a visible character, with that character in the message', () => {
    const label = decode(object({ label: line(3) }), 'the body');
    for (const [text, got] of [
      ['\u200B', '\\u200b'],
      ['\uFFFF', '\\uffff'],
      ['\u{E0041}', '\\udb40\\udc41'],
      ['\uD83C', '\\ud83c'],
    ] as const)
      expect(left(label({ label: text })).message).to.equal(
        `label must be one line of 1 to 3 characters of well-formed Unicode, with a visible one, got "${got}"`,
      );
  });

  it('reads one line without the spaces around it', () => {
    const name = line(3);
    for (const text of [
      'a',
      ' a b ',
      'a\u200D',
      'a\uFFFF',
      '\u2764\uFE0F',
      '\uE000',
      '\u{1F3B2}\u{1F3B2}\u{1F3B2}',
    ])
      expect(name.decode(text)).to.deep.equal(E.right(text.trim()));
    for (const bad of [
      '',
      '   ',
      'abcd',
      'a\nb',
      'a\u0000b',
      'a\u007Fb',
      'a\u2028b',
      'a\u202Eb',
      'a\u2066b',
      'a\uD83C',
      '\uDFB2a',
      ...INVISIBLE,
      5,
    ])
      expect(name.decode(bad), JSON.stringify(bad)).to.satisfy(E.isLeft);
    expect([name.is('a'), name.is(5), name.encode('a')]).to.deep.equal([true, false, 'a']);
    expect(name.name).to.equal('one line of 1 to 3 characters of well-formed Unicode, with a visible one');
  });

  it('normalises a matched text', () => {
    const hex = matching('hex', /^[0-9a-fA-F]+$/, (matched) => matched.toUpperCase());
    expect(hex.decode('ab')).to.deep.equal(E.right('AB'));
  });
});
