import { expect } from 'chai';
import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import { describe, it } from 'mocha';
import { asyncApi, NO_EXAMPLES } from '../../src/api-docs/index.js';
import { isRecord } from '../../src/codecs/json.js';
import { contracts } from './recorder.js';

/** The schemas of which generators make types: objects and enumerations, except the parts of a type in `allOf`. */
const typesIn = (value: Json): readonly JsonRecord[] => {
  if (Array.isArray(value)) return value.flatMap(typesIn);
  if (typeof value !== 'object' || value === null) return [];
  const { allOf = [], ...schema } = value as JsonRecord;
  const inner = Object.values(schema).flatMap(typesIn);
  const ofParts = typesIn(allOf).filter(({ type }) => type !== 'object');
  const isType =
    schema['type'] === 'object' || schema['const'] !== undefined || Array.isArray(schema['enum']);
  return [...(isType ? [schema] : []), ...inner, ...ofParts];
};

describe('The messages on WebSockets and over MQTT', () => {
  for (const contract of contracts) {
    it(`of ${contract.name} give each type its own name`, () => {
      const { components } = asyncApi(contract, NO_EXAMPLES);
      const schemas = isRecord(components) ? components['schemas'] : undefined;
      const titles = typesIn(schemas ?? {}).map(({ title }) => title);
      expect(titles).to.not.include(undefined);
      expect(titles).to.deep.equal([...new Set(titles)]);
    });
  }
});
