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
  integerInText,
  json,
  matching,
  nullable,
  number,
  numberInText,
  object,
  objectWith,
  oneOf,
  tagged,
  text,
  withDefault,
  decode,
  parseError,
  parseJson,
  queryFields,
  queryOf,
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

describe('a decoding failure is one message', () => {
  const die = objectWith({ address: deviceAddress }, { dice_type: oneOf(['d6', 'd20', 'd10']), on: boolean });

  it('names the field, what is allowed and what was given', () => {
    expect(message(die, { address: 'aa:bb:cc:dd:ee:ff', dice_type: 'd7' })).to.equal(
      'dice_type must be one of d6, d20, d10, got "d7"',
    );
  });

  it('says that a field is missing', () => {
    expect(message(object({ session_id: text }), {})).to.equal('session_id is missing: it must be a string');
  });

  it('says what the whole must be', () => {
    expect(message(die, [1])).to.equal('the body must be a JSON object, got [1]');
    expect(message(die, null)).to.equal('the body must be a JSON object, got null');
  });

  it('names a field deep inside', () => {
    const world = object({ devices: array(object({ at: object({ x: anyInteger }) }), 'an array') });
    expect(message(world, { devices: [{ at: { x: 1 } }, { at: { x: 1.5 } }] })).to.equal(
      'devices[1].at.x must be a whole number within ±9007199254740991, got 1.5',
    );
  });

  it('takes only a number as the index of an array', () => {
    const names = ['1a', 'a1', '12'] as const;
    const messages = names.map((name) =>
      message(object({ at: object({ [name]: text }) }), { at: { [name]: 1 } }),
    );
    expect(messages).to.deep.equal([
      'at.1a must be a string, got 1',
      'at.a1 must be a string, got 1',
      'at[12] must be a string, got 1',
    ]);
  });

  it('names what is allowed of every kind of value', () => {
    expect(message(object({ at: number(0, 1.5) }), { at: 2 })).to.equal(
      'at must be a number from 0 to 1.5, got 2',
    );
    expect(message(object({ address: deviceAddress }), { address: 1 })).to.equal(
      'address must be six pairs of hex digits with colons, such as D1:CE:00:00:00:01, got 1',
    );
    expect([bytes('audio/wav').name, anything.name, json().name]).to.deep.equal([
      'bytes of audio/wav',
      'any JSON value',
      'any JSON value',
    ]);
    expect(message(bytes('audio/wav'), 7)).to.equal('the body must be bytes of audio/wav, got 7');
  });

  it('cuts what was given', () => {
    const shown = (length: number): string => message(object({ n: anyInteger }), { n: 'x'.repeat(length) });
    // With its quotation marks it has 60 characters.
    expect(shown(58)).to.equal(`n must be a whole number within ±9007199254740991, got "${'x'.repeat(58)}"`);
    expect(shown(59)).to.equal(`n must be a whole number within ±9007199254740991, got "${'x'.repeat(59)}…`);
    expect(shown(5000)).to.equal(shown(59));
  });

  it('takes a union as a whole', () => {
    expect(message(object({ level: nullable(integer(0, 100)) }), { level: 'much' })).to.equal(
      'level must be a whole number from 0 to 100 or null, got "much"',
    );
  });

  it('says the steps of a range', () => {
    expect(message(object({ brightness: integer(0, 150, 10) }), { brightness: 155 })).to.equal(
      'brightness must be 0 to 150 in steps of 10, got 155',
    );
  });

  it('never turns one type into another', () => {
    expect(message(object({ slot: integer(0, 15) }), { slot: '3' })).to.equal(
      'slot must be a whole number from 0 to 15, got "3"',
    );
    expect(message(object({ on: boolean }), { on: 1 })).to.equal('on must be true or false, got 1');
    expect(message(object({ id: text }), { id: 5 })).to.equal('id must be a string, got 5');
  });

  it('names two allowed values with an or', () => {
    expect(message(object({ kind: oneOf(['die', 'clock']) }), { kind: 'x' })).to.contain('die or clock');
  });

  it('has a message for a rule about several fields', () => {
    const either = atLeastOne(objectWith({}, { a: text, b: text }), 'a', 'b');
    expect(message(either, {})).to.equal('a and b are missing: at least one of them must be given');
    expect(message(either, { b: 'x' })).to.equal('accepted');
  });

  it('has the message of a check', () => {
    const even = checked(object({ n: anyInteger }), ({ n }) =>
      n % 2 === 0 ? E.right(n) : E.left(`n must be even, and ${n} is not`),
    );
    expect(message(even, { n: 3 })).to.equal('n must be even, and 3 is not');
    expect(message(even, { n: 'x' })).to.equal('n must be a whole number within ±9007199254740991, got "x"');
    expect(message(even, { n: 4 })).to.equal('accepted');
    expect(even.is({ n: 3 })).to.equal(false);
  });

  it('names an unknown field of a closed object, with its path, whatever is checked beside', () => {
    const at = closedObject({ x: anyInteger }, { y: anyInteger });
    const ordered = checked(at, ({ x, y = x }) => (x <= y ? E.right(x) : E.left('x is more than y')));
    const positive = checked(ordered, ({ x }) => (x > 0 ? E.right(x) : E.left('x is not positive')));
    const world = closedObject({ devices: array(positive, 'an array') });
    expect(message(world, { devices: [{ x: 1 }, { x: 1, z: 2 }] })).to.equal(
      'devices[1].z is unknown here: it may be x, y',
    );
    expect(message(world, { devices: [{ x: 'far' }] })).to.equal(
      'devices[0].x must be a whole number within ±9007199254740991, got "far"',
    );
    expect(message(world, { devices: [], device: 1 })).to.equal('device is unknown here: it may be devices');
    expect(message(closedObject({}), { device: 1 })).to.equal('device is unknown here: there are no fields');
    expect(message(world, { devices: [{ x: 3, y: 2 }] })).to.equal('x is more than y');
    expect(message(world, { devices: [{ x: 0 }] })).to.equal('x is not positive');
    expect(message(world, { devices: [{ x: 1, y: 2 }] })).to.equal('accepted');
    expect(positive.fields).to.deep.equal(['x', 'y']);
    expect(message(positive.open, { x: 1, z: 2 })).to.equal('accepted');
    expect(message(positive.open, { x: 0, z: 2 })).to.equal('x is not positive');
  });

  it('is about what was given where something else is usual', () => {
    const world = object({
      air: withDefault(object({ loss: withDefault(integer(0, 100), 7) }), { loss: 9 }),
    });
    expect(message(world, { air: { loss: -1 } })).to.equal(
      'air.loss must be a whole number from 0 to 100, got -1',
    );
    expect(message(world, { air: [] })).to.equal('air must be a JSON object, got []');
    expect(world.decode({})).to.deep.equal(E.right({ air: { loss: 9 } }));
    expect(world.decode({ air: {} })).to.deep.equal(E.right({ air: { loss: 7 } }));
    expect(world.decode({ air: { loss: 0 } })).to.deep.equal(E.right({ air: { loss: 0 } }));
  });

  it('distinguishes the cases of a tagged object', () => {
    const action = tagged('type', {
      roll: object({ type: oneOf(['roll']), face: integer(1, 6) }),
      tap: object({ type: oneOf(['tap']) }),
    });
    expect(message(action, { type: 'jump' })).to.equal('type must be roll or tap, got "jump"');
    expect(message(action, { type: 'roll', face: 9 })).to.equal(
      'face must be a whole number from 1 to 6, got 9',
    );
    expect(message(action, 'roll')).to.equal('the body must be a JSON object, got "roll"');
    expect(message(action, { type: 'tap' })).to.equal('accepted');
    expect(action.is({ type: 'tap' })).to.equal(true);
    expect(action.encode({ type: 'tap' })).to.deep.equal({ type: 'tap' });
  });
});

describe('null in place of a field that may be left out', () => {
  const die = objectWith({ address: text }, { face: integer(1, 6), at: objectWith({}, { x: anyInteger }) });

  it('counts as left out, at any depth', () => {
    expect(die.decode({ address: 'a', face: null })).to.deep.equal(E.right({ address: 'a' }));
    expect(die.decode({ address: 'a', at: { x: null, y: null } })).to.deep.equal(
      E.right({ address: 'a', at: { y: null } }),
    );
    expect(closedObject({}, { die }).decode({ die: { address: 'a', at: null } })).to.deep.equal(
      E.right({ die: { address: 'a' } }),
    );
  });

  it('leaves what was given as it is', () => {
    const given = { address: 'a', face: null };
    die.decode(given);
    expect(given).to.deep.equal({ address: 'a', face: null });
  });

  it('is not taken for a field that must be given, nor for the whole', () => {
    expect(message(die, { address: null })).to.equal('address must be a string, got null');
    expect(message(die, null)).to.equal('the body must be a JSON object, got null');
    expect(message(die, { address: 'a', at: { x: 'x' } })).to.equal(
      'at.x must be a whole number within ±9007199254740991, got "x"',
    );
  });

  it('is given where null means something', () => {
    const clock = objectWith({}, { token: nullable(text) });
    expect(clock.decode({ token: null })).to.deep.equal(E.right({ token: null }));
    const bound = object({ token: withDefault(nullable(text), 'usual') });
    expect(bound.decode({ token: null })).to.deep.equal(E.right({ token: null }));
  });

  it('is ignored in a field that is called as a method of all objects', () => {
    expect(die.decode({ address: 'a', toString: null })).to.deep.equal(
      E.right({ address: 'a', toString: null }),
    );
  });

  it('is left out for a rule about several fields, and of a field that is unknown too', () => {
    const either = checked(closedObject({}, { a: text, b: text }), ({ a, b }) =>
      a !== undefined || b !== undefined ? E.right(a) : E.left('a and b are missing'),
    );
    expect(message(either, { a: null, b: null })).to.equal('a and b are missing');
    expect(message(either, { a: null, b: 'x' })).to.equal('accepted');
    expect(message(either, { b: 'x', c: null })).to.equal('c is unknown here: it may be a, b');
  });

  it('is as usual where something is usual', () => {
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

  it('is refused with a clear message too', () => {
    for (const levels of [101, 5_000, 20_000]) {
      expect(refused(nested(levels))).to.match(/^address must be .*, got something nested too deeply$/);
    }
    expect(refused({ shallow: 1, deep: nested(100) })).to.match(/, got something nested too deeply$/);
  });

  it('is deeper than a hundred levels', () => {
    expect(refused(nested(100))).to.match(/, got \[{60}…$/);
  });
});

describe('a codec', () => {
  it('lets unknown fields through', () => {
    expect(message(object({ id: text }), { id: 'x', newer: true })).to.equal('accepted');
  });

  it('puts addresses into upper case and refuses other forms', () => {
    expect(deviceAddress.decode('aa:bb:cc:dd:ee:0f')).to.deep.equal(E.right('AA:BB:CC:DD:EE:0F'));
    for (const bad of [
      '',
      'aa:bb:cc:dd:ee',
      'aa-bb-cc-dd-ee-ff',
      'aabbccddeeff',
      'gg:bb:cc:dd:ee:ff',
      'aa:bb:cc:dd:ee:0f:',
      ':aa:bb:cc:dd:ee:0f',
      12,
    ]) {
      expect(E.isLeft(deviceAddress.decode(bad)), String(bad)).to.equal(true);
    }
  });

  it('takes bytes, and any JSON', () => {
    expect(bytes('audio/wav').decode(Buffer.from('ab'))).to.deep.equal(E.right(Buffer.from('ab')));
    expect(json().decode({ any: 1 })).to.deep.equal(E.right({ any: 1 }));
    expect(json().is('any')).to.equal(true);
    expect(anything.is('any')).to.equal(true);
  });

  it('takes the multiples of the step of a range', () => {
    const tens = integer(-10, 20, 10);
    expect([-10, 0, 20, 15].map((value) => tens.is(value))).to.deep.equal([true, true, true, false]);
  });

  it('knows and writes its values where something is checked, usual or closed', () => {
    const closed = closedObject({ secs: numberInText(0, 10) });
    expect([closed.is({ secs: 5 }), closed.is({ secs: '5' })]).to.deep.equal([true, false]);
    expect(closed.encode({ secs: 5 })).to.deep.equal({ secs: '5' });
    const even = checked(object({ n: anyInteger }), ({ n }) => (n % 2 === 0 ? E.right(n) : E.left('odd')));
    expect([even.is({ n: 2 }), even.is({ n: 3 }), even.is({})]).to.deep.equal([true, false, false]);
    const action = tagged('type', { roll: object({ type: oneOf(['roll']), face: integer(1, 6) }) });
    expect([action.is({ type: 'roll', face: 6 }), action.is({ type: 'roll' }), action.is(7)]).to.deep.equal([
      true,
      false,
      false,
    ]);
  });

  it('reads whole numbers of a query as they are usually written', () => {
    const since = integerInText(0, 40);
    for (const given of ['0', '7', '40']) expect(since.decode(given)).to.deep.equal(E.right(Number(given)));
    for (const bad of ['', ' 1', '1.0', '1e1', '0x10', '-1', '41', 5]) {
      expect(decode(object({ since }), 'the query')({ since: bad })).to.deep.equal(
        E.left(parseError(`since must be a whole number from 0 to 40, got ${JSON.stringify(bad)}`)),
      );
    }
    expect([since.is(5), since.is(0.5), since.encode(5)]).to.deep.equal([true, false, '5']);
  });

  it('reads numbers of a query as they are usually written', () => {
    const secs = numberInText(0.1, 600);
    for (const [given, value] of [
      ['0.5', 0.5],
      ['0.1', 0.1],
      ['0.25', 0.25],
      ['12', 12],
      ['600', 600],
    ] as const) {
      expect(secs.decode(given)).to.deep.equal(E.right(value));
    }
    expect([secs.is(5), secs.is('5')]).to.deep.equal([true, false]);
    for (const bad of ['', ' 1', '1e2', '0x10', '-1', '0', '601', 'Infinity', '1.', 5]) {
      expect(E.isLeft(secs.decode(bad)), String(bad)).to.equal(true);
    }
    expect(secs.encode(5)).to.equal('5');
  });

  it('normalises a matched text', () => {
    const hex = matching('hex', /^[0-9a-fA-F]+$/, (given) => given.toUpperCase());
    expect(hex.decode('ab')).to.deep.equal(E.right('AB'));
  });
});

describe('an error of an input', () => {
  it('has a code and a message', () => {
    expect(parseError('x')).to.deep.equal({ _tag: 'ParseError', code: 'invalid_input', message: 'x' });
    expect(parseFailure('x')).to.deep.equal(E.left(parseError('x')));
  });
});

describe('the text of a JSON value', () => {
  it('is read', () => {
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
    expect(of(`{"at": {"n": ${digits}, "list": []}}`)).to.equal(`at.n ${range} ${digits}`);
    expect(of(`{"note": "1E400 \\" 5", "at": {"n": 1, "list": [1, 1E400]}}`)).to.equal(
      `at.list[1] ${range} 1E400`,
    );
    expect(of(`{"at": {"n": -1${'0'.repeat(90)}, "list": []}}`)).to.equal(
      `at.n ${range} -1${'0'.repeat(58)}…`,
    );
    expect(of(`{"at": {"n": 1, "list": []}, "ignored": ${digits}}`)).to.equal('accepted');
    expect(of(`{"at": {"n": "aa${'😀'.repeat(40)}", "list": []}}`)).to.equal(
      `at.n ${range} "aa${'😀'.repeat(28)}…`,
    );
    expect(of(`{"at": {"n": 1, "list": [${digits}, 10]}}`)).to.equal(`at.list[0] ${range} ${digits}`);
    expect(of('{"note": null, "at": {"n": 1E400, "list": []}}')).to.equal(`at.n ${range} 1E400`);
    expect(of('{"at": {"n": 1e3, "list": []}}')).to.equal(`at.n ${range} 1000`);
    expect(of('{"at": {"n": 1.50, "list": [1E400]}}')).to.equal(`at.n ${range} 1.5`);
    expect(of('{"at": {"n": "x", "list": [1E400]}}')).to.equal(`at.n ${range} "x"`);
    expect(of('{"at": {"n": 1E400, "list": [{"toString": null}]}}')).to.equal(`at.n ${range} 1E400`);
    expect(of('1E400')).to.equal('the body must be a JSON object, got Infinity');
  });

  it('is refused with a message that describes it, if it is no JSON', () => {
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
