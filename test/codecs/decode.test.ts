import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import {
  anyInteger,
  anything,
  array,
  atLeastOne,
  boolean,
  bytes,
  checked,
  closedObject,
  deviceAddress,
  integer,
  json,
  nullable,
  number,
  object,
  objectWith,
  oneOf,
  tagged,
  text,
  withDefault,
  decode,
  instantInText,
  parseError,
  parseJson,
  queryFields,
  queryOf,
  type AnyCodec,
} from '../../src/codecs/index.js';
import { parseFailure } from '../../src/codecs/parse-error.js';

const message = <A>(codec: t.Decoder<unknown, A>, value: unknown): string =>
  pipe(
    decode(codec, 'the body')(value),
    E.match(
      (error) => error.message,
      () => 'accepted',
    ),
  );

const ANY_INTEGER = 'a whole number within ±9007199254740991';

describe('a decoding failure is one message', () => {
  const die = objectWith({ address: deviceAddress }, { dice_type: oneOf(['d6', 'd20', 'd10']), on: boolean });
  const world = object({ devices: array(object({ at: object({ x: anyInteger }) }), 'an array') });
  const nameOfField = (name: string) => object({ at: object({ [name]: text }) });
  const level = object({ level: nullable(integer(0, 100)) });
  const eitherField = atLeastOne({}, { a: text, b: text, c: nullable(text) });
  const inner = object({ at: eitherField });
  const even = checked(object({ n: anyInteger }), ({ n }) =>
    n % 2 === 0 ? E.right(n) : E.left(`n must be even, and ${n} is not`),
  );
  const air = object({ air: withDefault(object({ loss: withDefault(integer(0, 100), 7) }), { loss: 9 }) });
  const action = tagged('type', {
    roll: object({ type: oneOf(['roll']), face: integer(1, 6) }),
    tap: object({ type: oneOf(['tap']) }),
  });

  const CASES: readonly (readonly [codec: AnyCodec, value: unknown, message: string])[] = [
    [
      die,
      { address: 'aa:bb:cc:dd:ee:ff', dice_type: 'd7' },
      'dice_type must be one of d6, d20, d10, got "d7"',
    ],
    [
      die,
      { address: 1 },
      'address must be six pairs of hex digits with colons, such as D1:CE:00:00:00:01, got 1',
    ],
    [die, [1], 'the body must be a JSON object, got [1]'],
    ...['2026-02-30T12:00:00Z', '2026-02-28T12:00:00', '2026-02-28', '+002026-02-28T12:00:00Z'].map(
      (from) =>
        [
          object({ from: instantInText }),
          { from },
          `from must be a time of ISO 8601 with an offset, such as 2026-11-26T19:30:00+01:00, got "${from}"`,
        ] as const,
    ),
    [die, null, 'the body must be a JSON object, got null'],
    [object({ session_id: text }), {}, 'session_id is missing: it must be a string'],
    [
      world,
      { devices: [{ at: { x: 1 } }, { at: { x: 1.5 } }] },
      `devices[1].at.x must be ${ANY_INTEGER}, got 1.5`,
    ],
    [nameOfField('1a'), { at: { '1a': 1 } }, 'at.1a must be a string, got 1'],
    [nameOfField('a1'), { at: { a1: 1 } }, 'at.a1 must be a string, got 1'],
    [nameOfField('12'), { at: { 12: 1 } }, 'at[12] must be a string, got 1'],
    [object({ at: number(0, 1.5) }), { at: 2 }, 'at must be a number from 0 to 1.5, got 2'],
    [bytes('audio/wav'), 7, 'the body must be bytes of audio/wav, got 7'],
    [level, { level: 'much' }, 'level must be a whole number from 0 to 100 or null, got "much"'],
    [object({ n: integer(0, 150, 10) }), { n: 155 }, 'n must be 0 to 150 in steps of 10, got 155'],
    [object({ slot: integer(0, 15) }), { slot: '3' }, 'slot must be a whole number from 0 to 15, got "3"'],
    [object({ on: boolean }), { on: 1 }, 'on must be true or false, got 1'],
    [object({ id: text }), { id: 5 }, 'id must be a string, got 5'],
    [object({ kind: oneOf(['die', 'clock']) }), { kind: 'x' }, 'kind must be die or clock, got "x"'],
    [eitherField, {}, 'a, b and c are missing: at least one of them must be given'],
    [eitherField, { a: null, d: 1 }, 'a, b and c are missing: at least one of them must be given'],
    [eitherField, { c: null }, 'accepted'],
    [inner, { at: {} }, 'a, b and c are missing in at: at least one of them must be given'],
    [eitherField, { b: 'x' }, 'accepted'],
    [even, { n: 3 }, 'n must be even, and 3 is not'],
    [even, { n: 'x' }, `n must be ${ANY_INTEGER}, got "x"`],
    [even, { n: 4 }, 'accepted'],
    [air, { air: { loss: -1 } }, 'air.loss must be a whole number from 0 to 100, got -1'],
    [air, { air: [] }, 'air must be a JSON object, got []'],
    [action, { type: 'jump' }, 'type must be roll or tap, got "jump"'],
    [action, { type: 'roll', face: 9 }, 'face must be a whole number from 1 to 6, got 9'],
    [action, 'roll', 'the body must be a JSON object, got "roll"'],
    [action, { type: 'tap' }, 'accepted'],
    [object({ id: text }), { id: 'x', newer: true }, 'accepted'],
  ];
  for (const [codec, value, expected] of CASES)
    it(`${JSON.stringify(value)}: ${expected}`, () => expect(message(codec, value)).to.equal(expected));

  it('cuts a long value', () => {
    const shown = (length: number): string => message(object({ n: anyInteger }), { n: 'x'.repeat(length) });
    // With its quotation marks it has 60 characters.
    expect(shown(58)).to.equal(`n must be ${ANY_INTEGER}, got "${'x'.repeat(58)}"`);
    expect(shown(59)).to.equal(`n must be ${ANY_INTEGER}, got "${'x'.repeat(59)}…`);
    expect(shown(5000)).to.equal(shown(59));
  });

  it('names an unknown field of a closed object with its path, whatever else is checked', () => {
    const at = closedObject({ x: anyInteger }, { y: anyInteger });
    const ordered = checked(at, ({ x, y = x }) => (x <= y ? E.right(x) : E.left('x is more than y')));
    const positive = checked(ordered, ({ x }) => (x > 0 ? E.right(x) : E.left('x is not positive')));
    const closed = closedObject({ devices: array(positive, 'an array') });
    for (const [codec, value, expected] of [
      [closed, { devices: [{ x: 1 }, { x: 1, z: 2 }] }, 'devices[1].z is unknown here: it may be x, y'],
      [closed, { devices: [{ x: 'far' }] }, `devices[0].x must be ${ANY_INTEGER}, got "far"`],
      [closed, { devices: [], device: 1 }, 'device is unknown here: it may be devices'],
      [closedObject({}), { device: 1 }, 'device is unknown here: there are no fields'],
      [closed, { devices: [{ x: 3, y: 2 }] }, 'x is more than y'],
      [closed, { devices: [{ x: 0 }] }, 'x is not positive'],
      [closed, { devices: [{ x: 1, y: 2 }] }, 'accepted'],
      [positive.open, { x: 1, z: 2 }, 'accepted'],
      [positive.open, { x: 0, z: 2 }, 'x is not positive'],
    ] as const)
      expect(message(codec as AnyCodec, value)).to.equal(expected);
    expect(positive.fields).to.deep.equal(['x', 'y']);
  });

  it('reads the default only for a missing field', () => {
    expect(air.decode({})).to.deep.equal(E.right({ air: { loss: 9 } }));
    expect(air.decode({ air: {} })).to.deep.equal(E.right({ air: { loss: 7 } }));
    expect(air.decode({ air: { loss: 0 } })).to.deep.equal(E.right({ air: { loss: 0 } }));
  });

  it('names the codec of bytes and of any value', () => {
    const names = [bytes('audio/wav').name, anything.name, json().name];
    expect(names).to.deep.equal(['bytes of audio/wav', 'any JSON value', 'any JSON value']);
  });
});

describe('null in place of a field that may be left out', () => {
  const die = objectWith({ address: text }, { face: integer(1, 6), at: objectWith({}, { x: anyInteger }) });

  it('counts as left out at any depth, and stays in the input', () => {
    const input = { address: 'a', face: null };
    expect(die.decode(input)).to.deep.equal(E.right({ address: 'a' }));
    expect(input).to.deep.equal({ address: 'a', face: null });
    expect(die.decode({ address: 'a', at: { x: null, y: null } })).to.deep.equal(
      E.right({ address: 'a', at: { y: null } }),
    );
    expect(closedObject({}, { die }).decode({ die: { address: 'a', at: null } })).to.deep.equal(
      E.right({ die: { address: 'a' } }),
    );
  });

  it('is refused for a required field and for the whole body', () => {
    expect(message(die, { address: null })).to.equal('address must be a string, got null');
    expect(message(die, null)).to.equal('the body must be a JSON object, got null');
    expect(message(die, { address: 'a', at: { x: 'x' } })).to.equal(
      'at.x must be a whole number within ±9007199254740991, got "x"',
    );
  });

  it('is a value of a field that may be null', () => {
    const clock = objectWith({}, { token: nullable(text) });
    expect(clock.decode({ token: null })).to.deep.equal(E.right({ token: null }));
    const bound = object({ token: withDefault(nullable(text), 'usual') });
    expect(bound.decode({ token: null })).to.deep.equal(E.right({ token: null }));
  });

  it('is ignored in a field with the name of a method of all objects', () => {
    expect(die.decode({ address: 'a', toString: null })).to.deep.equal(
      E.right({ address: 'a', toString: null }),
    );
  });

  it('counts as left out in a check of several fields, but not for an unknown field', () => {
    const either = checked(closedObject({}, { a: text, b: text }), ({ a, b }) =>
      a !== undefined || b !== undefined ? E.right(a) : E.left('a and b are missing'),
    );
    expect(message(either, { a: null, b: null })).to.equal('a and b are missing');
    expect(message(either, { a: null, b: 'x' })).to.equal('accepted');
    expect(message(either, { b: 'x', c: null })).to.equal('c is unknown here: it may be a, b');
  });

  it('is read as the usual value or the usual case, if there is one', () => {
    const air = object({ loss: withDefault(integer(0, 100), 7) });
    expect(air.decode({ loss: null })).to.deep.equal(E.right({ loss: 7 }));
    const fault = tagged(
      'stage',
      {
        in: closedObject({}, { stage: oneOf(['in']), count: anyInteger }),
        out: closedObject({ stage: oneOf(['out']) }),
      },
      'in',
    );
    expect(fault.decode({ stage: null, count: null })).to.deep.equal(E.right({}));
    expect(message(fault, { stage: 'up' })).to.equal('stage must be in or out, got "up"');
    expect(message(tagged('stage', { in: object({}) }), { stage: null })).to.equal(
      'stage must be in, got null',
    );
  });
});

describe('A value nested too deeply to be shown', () => {
  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  const refused = (address: unknown): string => message(object({ address: deviceAddress }), { address });

  it('is refused with a clear message', () => {
    for (const levels of [101, 5_000, 20_000]) {
      expect(refused(nested(levels))).to.match(/^address must be .*, got something nested too deeply$/);
    }
    expect(refused({ shallow: 1, deep: nested(100) })).to.match(/, got something nested too deeply$/);
  });

  it('is deeper than a hundred levels', () => {
    expect(refused(nested(100))).to.match(/, got \[{60}…$/);
  });
});

describe('an error of an input', () => {
  it('has a code and a message', () => {
    expect(parseError('x')).to.deep.equal({ _tag: 'ParseError', code: 'invalid_input', message: 'x' });
    expect(parseFailure('x')).to.deep.equal(E.left(parseError('x')));
  });
});

describe('the text of a JSON value', () => {
  it('is read as its value', () => {
    expect(parseJson('{"a": [1, null]}', 'the body')).to.deep.equal(E.right({ a: [1, null] }));
  });

  it('has numbers that JavaScript rounds, which a message shows as they were sent', () => {
    const digits = '9007199254740993';
    const at = object({ n: integer(0, 9), list: array(integer(0, 9), 'numbers') });
    const of = (json: string): string =>
      pipe(
        parseJson(json, 'the body'),
        E.chain(decode(objectWith({ at }, { note: text }), 'the body')),
        E.match(
          ({ message }) => message,
          () => 'accepted',
        ),
      );
    const range = 'must be a whole number from 0 to 9, got';
    for (const [json, expected] of [
      [`{"at": {"n": ${digits}, "list": []}}`, `at.n ${range} ${digits}`],
      ['{"note": "1E400 \\" 5", "at": {"n": 1, "list": [1, 1E400]}}', `at.list[1] ${range} 1E400`],
      [`{"at": {"n": -1${'0'.repeat(90)}, "list": []}}`, `at.n ${range} -1${'0'.repeat(58)}…`],
      [`{"at": {"n": 1, "list": []}, "ignored": ${digits}}`, 'accepted'],
      [`{"at": {"n": "aa${'😀'.repeat(40)}", "list": []}}`, `at.n ${range} "aa${'😀'.repeat(28)}…`],
      [`{"at": {"n": 1, "list": [${digits}, 10]}}`, `at.list[0] ${range} ${digits}`],
      ['{"note": null, "at": {"n": 1E400, "list": []}}', `at.n ${range} 1E400`],
      [`{"n": "7", "at": {"n": ${digits}, "list": []}}`, `at.n ${range} ${digits}`],
      ['{"at": {"n": 1e3, "list": []}}', `at.n ${range} 1000`],
      ['{"at": {"n": 1.50, "list": [1E400]}}', `at.n ${range} 1.5`],
      ['{"at": {"n": "x", "list": [1E400]}}', `at.n ${range} "x"`],
      ['1E400', 'the body must be a JSON object, got Infinity'],
      [
        `{"at": ${'['.repeat(20_000)}1E400${']'.repeat(20_000)}}`,
        'at must be a JSON object, got something nested too deeply',
      ],
    ] as const)
      expect(of(json)).to.equal(expected);
  });

  it('is refused with the reason if it is not JSON', () => {
    const refused = parseJson('{"a": ', 'the request');
    expect(refused).to.have.nested.property('left.code', 'invalid_json');
    expect(refused)
      .to.have.nested.property('left.message')
      .that.matches(/^the request is not valid JSON: .*JSON/);
  });
});

describe('a query', () => {
  const fields = { a: text, b: text, list: array(text, 'texts') };
  it('is read from any request target', () => {
    expect(queryFields(fields, queryOf('//?a=1&b=2&a=3&list=4&list=5&c=6'))).to.deep.equal({
      a: '1',
      b: '2',
      list: ['4', '5'],
    });
    expect(queryFields(fields, queryOf('/ws'))).to.deep.equal({});
    expect([...queryOf('/a=1')]).to.deep.equal([]);
    expect(queryFields({ '%zz': text }, queryOf('/ws?%zz'))).to.have.all.keys('%zz');
  });
});
