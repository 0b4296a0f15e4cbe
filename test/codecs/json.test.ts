import { expect } from 'chai';
import { describe, it } from 'mocha';
import { dereferenced } from '../../src/codecs/json.js';

const DOCUMENT = {
  paths: {
    '/devices': { get: { summary: 'Lists', schema: { items: { $ref: '#/components/schemas/Device' } } } },
  },
  components: {
    schemas: {
      Device: { properties: { values: [{ $ref: '#/components/schemas/Value' }] } },
      Value: { type: 'integer', description: 'a value' },
      Tree: { properties: { parent: { $ref: '#/components/schemas/Tree' } } },
    },
  },
};

const schema = (name: string, more: object = {}) => ({ $ref: `#/components/schemas/${name}`, ...more });

describe('The resolver of references in a JSON document', () => {
  it('replaces references by their schemas, however deep they are', () => {
    expect(dereferenced(DOCUMENT, ['paths', '/devices', 'get'])).to.deep.equal({
      summary: 'Lists',
      schema: { items: { properties: { values: [{ type: 'integer', description: 'a value' }] } } },
    });
  });

  for (const [title, value, resolved] of [
    [
      'keeps fields beside a reference, instead of the fields of the schema',
      schema('Value', { description: 'another' }),
      { type: 'integer', description: 'another' },
    ],
    ['ends at a schema that is a part of itself', schema('Tree'), { properties: { parent: schema('Tree') } }],
    ['leaves a reference without a target', schema('Nothing'), schema('Nothing')],
  ] as const)
    it(title, () => expect(dereferenced({ ...DOCUMENT, value }, ['value'])).to.deep.equal(resolved));

  it('returns null for a part that the document does not have', () => {
    expect(dereferenced(DOCUMENT, ['components', 'securitySchemes'])).to.equal(null);
  });
});
