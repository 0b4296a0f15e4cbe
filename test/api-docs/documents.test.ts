import { expect } from 'chai';
import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import { describe, it } from 'mocha';
import { fleetTopicsOf } from '../../src/api-docs/fleet-topics.js';
import { asyncApi, NO_EXAMPLES } from '../../src/api-docs/index.js';
import { contracts } from './recorder.js';

describe('the topics of a device', () => {
  for (const contract of contracts.filter(({ fleet }) => fleet !== undefined)) {
    it(`say which ${contract.name} they are for, so that payloads need not`, () => {
      const [toServer, toDevice] = fleetTopicsOf(contract).requested.map(({ commands }) =>
        JSON.stringify(commands.map(({ payload }) => payload.schema.input)),
      );
      expect(toServer).to.include('"required":["address"');
      expect(toDevice).not.to.match(/"(?:address|session_id)"/);
    });
  }
});

interface AsyncApi {
  readonly channels: Readonly<
    Record<string, { readonly messages: Readonly<Record<string, { readonly payload?: object }>> }>
  >;
  readonly components: Readonly<
    Record<'messages', Readonly<Record<string, { readonly payload: object }>>> & Record<'schemas', JsonRecord>
  >;
}

/** The schemas in a value of which generators make a type: objects and enumerations, but for the parts of a type in `allOf`. */
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

describe('the messages on WebSockets and over MQTT', () => {
  for (const contract of contracts) {
    const { channels, components } = asyncApi(contract, NO_EXAMPLES) as unknown as AsyncApi;

    it(`of ${contract.name} have a schema with a name each, which generators give to their types`, () => {
      const messages = [...Object.values(channels), components].flatMap((one) => Object.values(one.messages));
      const payloads = messages.flatMap(({ payload }) => (payload === undefined ? [] : [payload]));
      expect(payloads).to.not.deep.equal([]);
      for (const payload of payloads) expect(Object.keys(payload)).to.deep.equal(['$ref']);
    });

    it(`of ${contract.name} have a name for each type in them, and no two types one name`, () => {
      const titles = typesIn(components.schemas).map(({ title }) => title);
      expect(titles).to.not.include(undefined);
      expect(titles).to.deep.equal([...new Set(titles)]);
    });
  }
});
