import { expect as assert } from 'chai';
import { AssertionError } from 'chai';
import { describe, it } from 'mocha';
import { told } from '../../features/expect/exchange.js';
import * as e from '../../features/expect/expect.js';
import { now, timeBetween } from '../../features/expect/times.js';
import { DiceEvent, Status } from '../../src/dice/contract.js';

const mismatch = (field: string, received: unknown, expected: unknown): string => {
  try {
    e.expect(field, received, expected);
  } catch (error) {
    if (error instanceof e.Mismatch) return error.message;
    throw error;
  }
  return 'as expected';
};

describe('A mismatch', () => {
  const cases: readonly (readonly [title: string, received: unknown, expected: unknown, text: string])[] = [
    ['a value', '00FF0A', '00FF00', 'it: expected "00FF00", got "00FF0A"'],
    ['a missing value', undefined, 3, 'it: expected 3, got nothing'],
    ['a value of another type', '3', 3, 'it: expected 3, got "3"'],
    ['a field deep inside', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, 'it.a[0].b: expected 2, got 1'],
    ['a field too many', { a: 1, b: 2 }, { a: 1 }, 'it.b: expected nothing, got 2'],
    ['a list of another length', [1], [1, 2], 'it: expected [1,2], got [1]'],
    ['an empty list', [1], [], 'it: expected [], got [1]'],
    ['one of some fields', { a: 1, b: 2 }, e.fields({ b: 3 }), 'it.b: expected 3, got 2'],
    ['no object', [], e.fields({ b: 3 }), 'it: expected an object with {"b":3}, got []'],
    ['a missing name', { a: 1 }, e.exactly(['a', 'b']), 'it.b: expected, but missing'],
    ['another name', { a: 1, c: 2 }, e.exactly(['a']), 'it.c: not expected, got 2'],
    ['a number', 101, e.numberFrom(0, 100), 'it: expected a number from 0 to 100, got 101'],
    ['an integer', 1.5, e.integerFrom(0, 100), 'it: expected an integer from 0 to 100, got 1.5'],
    ['a limit', 0, e.above(0), 'it: expected a number above 0, got 0'],
    ['a part of a text', 'abc', e.containing('x'), 'it: expected a text that contains "x", got "abc"'],
    ['a form', 'abc', e.matching('whole seconds', /^\d+$/), 'it: expected whole seconds, got "abc"'],
    ['a choice', 3, e.oneOf([1, 2]), 'it: expected one of 1 and 2, got 3'],
    ['a forbidden value', 1, e.not(1), 'it: expected not 1, got 1'],
    ['a number of elements', [1], e.listOf(2), 'it: expected a list of 2, got [1]'],
    ['an element', [1], e.listWith(2), 'it: expected a list with 2, got [1]'],
    ['elements in any order', [1, 1], e.inAnyOrder([1, 2]), 'it: expected in any order [1,2], got [1,1]'],
    ['a matcher inside', { a: [5] }, { a: [e.above(6)] }, 'it.a[0]: expected a number above 6, got 5'],
    [
      'a time',
      '2026-11-26T17:03:12',
      timeBetween(0, 1000),
      'it: expected a time in UTC from 1970-01-01T00:00:00.000Z to 1970-01-01T00:00:01.000Z, got "2026-11-26T17:03:12"',
    ],
    [
      'the first wrong field of a union',
      { kind: 'Stable', face: 'six', acceleration: null },
      e.formOf(DiceEvent, 'an event of a die'),
      'it: face must be a whole number',
    ],
    ['no form of a status', {}, e.formOf(Status, 'a status record'), 'it: session_id is missing'],
  ];
  for (const [title, received, expected, text] of cases) {
    it(`names the wrong part of ${title}`, () => {
      assert(mismatch('it', received, expected)).to.contain(text);
    });
  }

  it('names the field of a whole record without a prefix', () => {
    assert(mismatch('', { led1: '00FF0A' }, { led1: '00FF00' })).to.equal(
      'led1: expected "00FF00", got "00FF0A"',
    );
  });

  it('has at most ten lines of fields', () => {
    const received = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`f${n}`, n]));
    const lines = mismatch('', received, {}).split('\n');
    assert(lines).to.have.lengthOf(11);
    assert(lines.at(-1)).to.equal('and 2 more');
  });

  it('cuts long values', () => {
    assert(mismatch('it', 'x'.repeat(1000), 1)).to.have.lengthOf.below(400);
  });

  const accepted: readonly (readonly [title: string, received: unknown, expected: unknown])[] = [
    ['equal records', { a: [1, null] }, { a: [1, null] }],
    ['some fields', { a: 1, b: 2 }, e.fields({ a: e.integerFrom(1, 1) })],
    ['the present time', new Date().toISOString(), now()],
    ['records in any order', [{ a: 1 }, { a: 2 }], e.inAnyOrder([{ a: 2 }, { a: 1 }])],
    ['an absent field', {}, e.fields({ a: undefined })],
    ['an event', { kind: 'RollStart' }, e.formOf(DiceEvent, 'an event of a die')],
  ];
  for (const [title, received, expected] of accepted) {
    it(`is not thrown for ${title}`, () => {
      assert(mismatch('it', received, expected)).to.equal('as expected');
    });
  }
});

describe('The text about a failed step', () => {
  const exchange = { asked: 'POST /api/led {"led1":"00FF00"}', came: 'answered 200 {"led1":"00FF0A"}' };

  const textOf = (error: unknown): Pick<Error, 'message' | 'stack'> => told(error, exchange) as Error;

  it('has request, field and answer', () => {
    const { message } = textOf(new e.Mismatch('led1: expected "00FF00", got "00FF0A"'));
    assert(message).to.equal(`${exchange.asked}\nled1: expected "00FF00", got "00FF0A"\n${exchange.came}`);
  });

  it('has no values that Cucumber would compare', () => {
    const error = textOf(new AssertionError('it failed', { actual: 1, expected: 2, showDiff: true }));
    assert(error).to.not.have.any.keys('actual', 'expected', 'showDiff');
    assert(error.message).to.contain('it failed');
  });

  it('has the stack of a defect', () => {
    const { message } = textOf(new TypeError('json is not iterable\n    at 3'));
    assert(message).to.match(
      /^TypeError: POST .*\njson is not iterable\n {4}at 3\nanswered 200 .*\n {4}at .*expect\.test/,
    );
  });

  it('leaves Cucumber no stack to parse', () => {
    const errors = [new e.Mismatch('x'), new TypeError('x'), new AssertionError('x'), new e.Failure('x')];
    assert(errors.map((error) => textOf(error).stack)).to.deep.equal(errors.map(() => ''));
  });

  it('stays as it is if it is whole', () => {
    const failure = new e.Failure('the whole text');
    assert(told(failure, exchange)).to.equal(failure);
  });

  it('has no request before the first one', () => {
    assert((told(new Error('too early'), undefined) as Error).message).to.equal('too early');
  });
});
