import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { describe, it } from 'mocha';
import * as codecs from '../../src/codecs/index.js';
import { commands } from '../../src/clock/contract.js';
import * as dice from '../../src/dice/contract.js';
import { FaultBody } from '../../simulators/control/faults.js';

const ajv = new Ajv2020({ strict: false });

/** Likely values of a codec, and others close to them. */
const near = (...values: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...values) },
    { weight: 1, arbitrary: fc.integer({ min: -1600, max: 1600 }) },
    { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
    { weight: 1, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.constantFrom(null, true, false, '', {}, [], 0, 1, -1) },
  );

/** Objects with some of `fields`. */
const objects = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> =>
  fc.record(fields, { requiredKeys: [] });

const address = near('D1:CE:00:00:00:01', 'd1:ce:00:00:00:01', 'D1:CE:00:00:00', 'D1CE00000001');
const time = fc.oneof(
  near('07:30', '23:59', '24:00', '7:30'),
  objects({ hour: near(0, 23, 24), minute: near(0, 59, 60) }),
);
const session = near('abc');

const cases: readonly (readonly [string, codecs.AnyCodec, fc.Arbitrary<unknown>])[] = [
  ['text', codecs.text, near('a')],
  ['boolean', codecs.boolean, near(true)],
  ['a literal', codecs.literal(true), near(true)],
  ['any whole number', codecs.anyInteger, near(2 ** 53 - 1, 2 ** 53, -(2 ** 53))],
  ['a whole number', codecs.integer(0, 15), near(0, 15, 16, 1.5)],
  ['steps', codecs.integer(-720, 840, 6), near(-720, 840, 6, 7)],
  ['a number', codecs.number(1, 600), near(0.99, 1, 600, 600.01)],
  ['one of some', codecs.oneOf(['d6', 'd20']), near('d6', 'd20', 'd7')],
  ['an address', codecs.deviceAddress, address],
  ['null or a number', codecs.nullable(codecs.integer(0, 100)), near(0, 100, 101)],
  ['a colour', dice.Colour, near('ff0000', '#FF0000', '##ff0000', 'ff000', 'ff00000', 'gg0000')],
  ['a connect', dice.ConnectRequest, objects({ address, dice_type: near('d6', 'd7'), more: near(1) })],
  [
    'a led',
    dice.endpoints.led.body,
    objects({ session_id: session, led1: near('ff0000'), led2: near('00ff00') }),
  ],
  [
    'taps',
    dice.endpoints.taps.body,
    objects({ session_id: session, single: near(true), double: near(false) }),
  ],
  [
    'a pulse',
    dice.endpoints.pulse.body,
    objects({
      ...{ session_id: session, count: near(1, 255, 256), on_ms: near(0, 2550, 5), off_ms: near(10) },
      ...{ color: near('ff0000'), leds: near('both', 'led1', 'led3') },
    }),
  ],
  [
    'set_alarm',
    commands.set_alarm.parameters,
    objects({
      ...{ address, slot: near(0, 15), time, repeat_mask: near(0, 127, 128) },
      ...{ enabled: near(true), snooze: near(false) },
    }),
  ],
  [
    'upload_ringtone',
    commands.upload_ringtone.parameters,
    objects({
      ...{ address, offset: near(0, -1), last: near(true) },
      ...{ data: near('', 'AAAA', 'AAA=', 'AA==', 'A===', 'AAA', '!'), format: near('wav', 'mp3') },
    }),
  ],
  [
    'write_settings',
    commands.write_settings.parameters,
    objects({
      address,
      settings: objects({
        ...{ volume: near(1, 5, 6), language: near('en', 'fr') },
        ...{ night_start: time, ringtone: near('deadbeef') },
        ...{ timezone_offset_minutes: near(-1530, 60, 61), screen_light_secs: near(0, 255, 256) },
      }),
    }),
  ],
  [
    'a fault whose stage may be left out',
    FaultBody,
    objects({
      ...{ type: near('delay', 'corrupt', 'drop'), device: near('all', 'hci0'), ms: near(5) },
      stage: near('command', 'acl_from_host', 'advertising'),
    }),
  ],
];

describe('the schema of a codec takes the same values as the codec:', () => {
  for (const [name, codec, values] of cases) {
    it(name, () => {
      const takes = ajv.compile(codec.schema.input);
      const gives = ajv.compile(codec.schema.output);
      let taken = 0;
      fc.assert(
        fc.property(values, (value) => {
          const decoded = codec.decode(value);
          expect(takes(value), JSON.stringify(value)).to.equal(E.isRight(decoded));
          if (E.isLeft(decoded)) return;
          taken += 1;
          const encoded: unknown = codec.encode(decoded.right);
          expect(gives(encoded), JSON.stringify(encoded)).to.equal(true);
        }),
        { numRuns: 3000 },
      );
      expect(taken).to.be.above(0);
    });
  }
});

describe('the schema of', () => {
  const yes = { type: 'boolean' };
  const word = { type: 'string' };
  const orNull = (schema: JsonRecord): JsonRecord => ({ anyOf: [schema, { type: 'null' }] });
  const objectOf = (properties: JsonRecord, required: string[]): JsonRecord => {
    return { type: 'object', properties, required };
  };
  const present = (name: string): JsonRecord => {
    return { required: [name], properties: { [name]: { not: { type: 'null' } } } };
  };
  const A = codecs.object({ a: codecs.text });
  /** A codec whose values are numbers, and whose input and output are texts. */
  const secs = codecs.numberInText(1, 5);
  const usual = codecs.withDefault(codecs.boolean, true);
  const orText = codecs.nullable(codecs.text);
  const takes: readonly (readonly [string, codecs.AnyCodec, codecs.JsonSchema])[] = [
    ['any JSON value', codecs.anything, {}],
    ['JSON that others describe', codecs.json({ type: 'array' }), { type: 'array' }],
    ['JSON', codecs.json(), {}],
    ['bytes', codecs.bytes('audio/wav'), { contentMediaType: 'audio/wav' }],
    ['a pattern', codecs.matching('hex', /^[0-9a-f]+$/), { type: 'string', pattern: '^[0-9a-f]+$' }],
    ['a number in a text', secs, { type: 'number', minimum: 1, maximum: 5 }],
    ['a whole number in a text', codecs.integerInText(1, 5), { type: 'integer', minimum: 1, maximum: 5 }],
    ['any object', codecs.anyObject, { type: 'object' }],
    ['an array', codecs.array(codecs.text, 'texts'), { type: 'array', items: word }],
    ['a union', codecs.union([codecs.text, codecs.boolean], 'either'), { anyOf: [word, yes] }],
    [
      'two in one',
      codecs.both(A, codecs.object({ b: codecs.boolean }), 'both'),
      { allOf: [objectOf({ a: word }, ['a']), objectOf({ b: yes }, ['b'])] },
    ],
    [
      'an object with fields that may be left out, or have a usual value',
      codecs.objectWith({ a: codecs.text, usual }, { b: codecs.boolean, c: orText }),
      objectOf({ a: word, usual: { ...orNull(yes), default: true }, b: orNull(yes), c: orNull(word) }, ['a']),
    ],
    [
      'a usual value where null is one',
      codecs.withDefault(orText, 'usual'),
      { ...orNull(word), default: 'usual' },
    ],
    [
      'a closed object',
      codecs.closedObject({ a: codecs.text }),
      { ...objectOf({ a: word }, ['a']), additionalProperties: false },
    ],
    [
      'an object with at least one field',
      codecs.atLeastOne({}, { a: codecs.text, b: codecs.nullable(codecs.text) }),
      { ...objectOf({ a: orNull(word), b: orNull(word) }, []), anyOf: [present('a'), { required: ['b'] }] },
    ],
    [
      'a tagged object',
      codecs.tagged('kind', { a: codecs.object({ kind: codecs.oneOf(['a']) }) }),
      { oneOf: [objectOf({ kind: { type: 'string', enum: ['a'] } }, ['kind'])] },
    ],
    [
      'a tagged object with a usual case',
      codecs.tagged(
        'kind',
        { a: codecs.object({ a: codecs.text }), b: codecs.object({ b: codecs.text }) },
        'a',
      ),
      {
        anyOf: [objectOf({ a: word }, ['a']), objectOf({ b: word, kind: { const: 'b' } }, ['b', 'kind'])],
      },
    ],
    [
      'an object with any names',
      codecs.textRecord(codecs.boolean),
      { type: 'object', additionalProperties: yes },
    ],
    ['an instant in a text', codecs.instantInText, { type: 'string', format: 'date-time' }],
    ['a line', codecs.line(3), { type: 'string', minLength: 1, maxLength: 3 }],
    [
      'a codec with a name',
      codecs.named('Yes', 'Nothing else', codecs.literal(true)),
      { title: 'Yes', description: 'Nothing else', const: true },
    ],
  ];
  for (const [name, codec, schema] of takes) {
    it(name, () => expect(codec.schema.input).to.deep.equal(schema));
  }

  it('a described field has the description, and the original codec does not', () => {
    const seconds = codecs.integer(1, 9);
    const described = codecs.about('Seconds', seconds);
    expect(described.schema.input).to.deep.equal({ ...seconds.schema.input, description: 'Seconds' });
    expect(described.schema.output).to.deep.equal({ ...seconds.schema.output, description: 'Seconds' });
    expect(seconds.schema.input).to.not.have.property('description');
    expect(codecs.decodeField('wait', described)(10)).to.deep.equal(codecs.decodeField('wait', seconds)(10));
  });

  it('a codec differs for input and output', () => {
    const { deviceAddress } = codecs;
    expect(deviceAddress.schema.input).to.have.property('description').that.is.not.empty;
    const upper: JsonRecord = {
      ...(deviceAddress.schema.input as JsonRecord),
      pattern: '^[0-9A-F]{2}(?::[0-9A-F]{2}){5}$',
    };
    const gives = (codec: codecs.AnyCodec): codecs.JsonSchema => codec.schema.output;
    expect(gives(deviceAddress)).to.deep.equal(upper);
    expect(gives(codecs.nullable(deviceAddress))).to.deep.equal({ anyOf: [upper, { type: 'null' }] });
    expect(gives(codecs.array(deviceAddress, 'addresses'))).to.deep.equal({ type: 'array', items: upper });
    expect(gives(codecs.withDefault(deviceAddress, ''))).to.deep.equal(upper);
    expect(gives(codecs.closedObject({ a: usual }, { b: deviceAddress, c: codecs.text }))).to.deep.equal(
      objectOf({ a: yes, b: upper, c: word }, ['a']),
    );
  });

  it('two objects in one has the fields of both', () => {
    const first = A.schema.input;
    const second = codecs.objectWith({ b: codecs.boolean }, { c: codecs.text }).schema.output;
    const fields = objectOf({ a: word, b: yes, c: word }, ['a', 'b']);
    expect(codecs.merged(first, { ...second, title: 'Both' })).to.deep.equal({ ...fields, title: 'Both' });
    const empty = { ...objectOf({}, []), title: 'Both' };
    expect(codecs.merged({ type: 'object' }, { title: 'Both' })).to.deep.equal(empty);
  });
});

describe('a schema without some properties', () => {
  const remaining = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const all = codecs.object({ a: codecs.text, b: codecs.boolean }).schema.input;

  it('keeps all other properties, in each of its parts', () => {
    expect(codecs.without(all, ['b'])).to.deep.equal(remaining);
    expect(codecs.without({ allOf: [all, null, 'x', [1]] }, ['b'])).to.deep.equal({
      allOf: [remaining, null, 'x', [1]],
    });
  });

  it('stays the same if it has no properties', () => {
    expect(codecs.without({ type: 'string' }, ['b'])).to.deep.equal({ type: 'string' });
  });
});

describe('the pattern of a text in any case', () => {
  it('takes each letter in both cases', () => {
    expect(codecs.anyCase('GoDice 6')).to.equal('[gG][oO][dD][iI][cC][eE] 6');
  });

  it('has no flags, since a schema cannot express them', () => {
    expect(() => codecs.matching('hex', /^[0-9a-f]+$/i)).to.throw(
      'a pattern of a codec must have no flags, got /^[0-9a-f]+$/i',
    );
  });
});
