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

describe('The resolver of references in /docs', () => {
  it('puts schemas in place of references, however deep they are', () => {
    expect(dereferenced(DOCUMENT, ['paths', '/devices', 'get'])).to.deep.equal({
      summary: 'Lists',
      schema: { items: { properties: { values: [{ type: 'integer', description: 'a value' }] } } },
    });
  });

  it('keeps fields that stand beside a reference, in place of those of the schema', () => {
    const value = { $ref: '#/components/schemas/Value', description: 'another' };
    expect(dereferenced({ ...DOCUMENT, value }, ['value'])).to.deep.equal({
      type: 'integer',
      description: 'another',
    });
  });

  it('ends at a schema that is a part of itself', () => {
    const $ref = '#/components/schemas/Tree';
    expect(dereferenced({ ...DOCUMENT, value: { $ref } }, ['value'])).to.deep.equal({
      properties: { parent: { $ref } },
    });
  });

  it('leaves a reference that leads nowhere', () => {
    const value = { $ref: '#/components/schemas/Nothing' };
    expect(dereferenced({ ...DOCUMENT, value }, ['value'])).to.deep.equal(value);
  });

  it('returns null for a part that the document does not have', () => {
    expect(dereferenced(DOCUMENT, ['components', 'securitySchemes'])).to.equal(null);
  });
});
