import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect } from 'chai';
import type { Json } from 'fp-ts/lib/Json.js';
import { describe, it } from 'mocha';
import { contract as clock } from '../../src/clock/contract.js';
import { contract as dice } from '../../src/dice/contract.js';
import { isRecord } from '../../src/api-docs/json.js';
import { documentsOf } from '../../src/api-docs/index.js';
import { benchContract, contract as control } from '../../simulators/control/contract.js';
import { builtInKinds } from '../../simulators/control/kinds.js';
import { asyncApiProblems } from './asyncapi-problems.js';

const CONTRACTS = {
  'the dice server': dice,
  'the clock server': clock,
  'the control API': control(builtInKinds),
  'the control API of a bench': benchContract(builtInKinds),
};

/** Keywords of the schemas that a schema is made of. */
const PARTS = ['anyOf', 'oneOf', 'allOf', 'items'];

/** Whether readers need no description: a schema has one, is a constant, or has fields with descriptions of their own. */
const isClear = (schema: Json): boolean => {
  if (Array.isArray(schema)) return schema.some(isClear);
  if (!isRecord(schema)) return false;
  const { type, enum: values } = schema;
  const isConstant = Array.isArray(values) && values.length === 1;
  const hasOwn = ['description', '$ref', 'const', 'not'].some((keyword) => keyword in schema);
  return hasOwn || isConstant || type === 'object' || PARTS.some((part) => isClear(schema[part] ?? null));
};

/** The places of fields and parameters that a reader needs a description of. */
const unclearIn = (value: Json, place: string): readonly string[] => {
  if (!isRecord(value) && !Array.isArray(value)) return [];
  const { properties, name: given, schema } = isRecord(value) ? value : {};
  const fields = isRecord(properties) ? Object.entries<Json>(properties) : [];
  const parameter = typeof given === 'string' && schema !== undefined ? [[given, schema] as const] : [];
  return [
    ...[...fields, ...parameter].flatMap(([name, one]) => (isClear(one) ? [] : [`${place}.${name}`])),
    ...Object.entries<Json>(value).flatMap(([name, one]) =>
      // A field may have the name of a keyword: fields are no schema.
      name === 'properties' && isRecord(one)
        ? Object.entries<Json>(one).flatMap(([field, inner]) => unclearIn(inner, `${place}/${name}/${field}`))
        : unclearIn(one, `${place}/${name}`),
    ),
  ];
};

describe('Documents', () => {
  for (const [name, contract] of Object.entries(CONTRACTS)) {
    const { openapi, asyncapi } = documentsOf(contract, 'optional');

    it(`are good OpenAPI, of ${name}`, async () => {
      const problems = await lintFromString({
        source: JSON.stringify(openapi()),
        absoluteRef: `${contract.name}.openapi.json`,
        config: await createConfig({
          extends: ['recommended'],
          // Redocly finds no fields of an example beside a choice of references; the walk checks what examples are made of.
          rules: { 'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true } },
        }),
      });
      const found = problems.map(({ ruleId, message, location: [place] }) => ({
        ruleId,
        message,
        place: place?.pointer ?? '',
      }));
      expect(found).to.deep.equal([]);
    });

    it(`describe each field and parameter, of ${name}`, () => {
      const unclear = [unclearIn(openapi(), 'openapi'), unclearIn(asyncapi(), 'asyncapi')].flat();
      expect(unclear).to.deep.equal([]);
    });

    it(`are good AsyncAPI, of ${name}`, async () => {
      expect(await asyncApiProblems(asyncapi())).to.deep.equal([]);
    });
  }
});
