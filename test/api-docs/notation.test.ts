import { expect } from 'chai';
import { describe, it } from 'mocha';
import { notation } from '../../src/api-docs/notation.js';
import * as codecs from '../../src/codecs/index.js';

const written = notation((name) => `<a>${name}</a>`);

const cases: readonly (readonly [codecs.AnyCodec, string])[] = [
  [codecs.text, 'string'],
  [codecs.boolean, 'boolean'],
  [codecs.literal(null), 'null'],
  [codecs.anything, 'any JSON value'],
  [codecs.anyInteger, 'integer'],
  [codecs.integer(0, 15), 'integer 0 to 15'],
  [codecs.integer(-720, 840, 6), 'integer -720 to 840 in steps of 6'],
  [codecs.number(0, 0.5), 'number 0 to 0.5'],
  [codecs.matching('', /^<a & b>$/), 'string /^&lt;a &amp; b&gt;$/'],
  [codecs.oneOf(['a', 'b']), '&quot;a&quot; | &quot;b&quot;'],
  [codecs.array(codecs.nullable(codecs.text), ''), '(string | null)[]'],
  [codecs.object({}), '{}'],
  [
    codecs.objectWith({ a: codecs.text }, { b: codecs.literal(null) }),
    '{\n  &quot;a&quot;: string,\n  &quot;b&quot;?: null\n}',
  ],
  [
    codecs.both(codecs.object({ a: codecs.object({ b: codecs.text }) }), codecs.object({}), ''),
    '{\n  &quot;a&quot;: {\n    &quot;b&quot;: string\n  }\n} &amp; {}',
  ],
  [
    codecs.both(codecs.object({ a: codecs.nullable(codecs.text) }), codecs.nullable(codecs.text), ''),
    '{\n  &quot;a&quot;: string | null\n} &amp; (string | null)',
  ],
  [
    codecs.object({
      a: codecs.about('Per cent', codecs.text),
      b: codecs.nullable(codecs.about('<b>', codecs.text)),
    }),
    '{\n  &quot;a&quot;: string, <i>// Per cent</i>\n  &quot;b&quot;: string | null <i>// &lt;b&gt;</i>\n}',
  ],
  [codecs.json({ type: 'object', additionalProperties: { type: 'string' } }), '{\n  …: string\n}'],
  [codecs.json({ $ref: '#/components/schemas/Alarm' }), '<a>Alarm</a>'],
  [codecs.json({ type: ['integer', 'null'], minimum: 0, maximum: 15 }), 'integer 0 to 15 | null'],
  [
    codecs.json({ type: 'array', items: { type: ['string', 'null'], pattern: '^a$' } }),
    '(string /^a$/ | null)[]',
  ],
];

describe('A schema is written as', () => {
  for (const [codec, expected] of cases) {
    it(expected.replaceAll('\n', ' '), () => {
      expect(written(codec.schema.output)).to.equal(expected);
    });
  }
});
