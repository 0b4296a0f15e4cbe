/** Checks the documents of all servers by the rules of OpenAPI and AsyncAPI. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createConfig, lintFromString, type RawUniversalConfig } from '@redocly/openapi-core';
import { Ajv, type SchemaObject } from 'ajv';
import { expect } from 'chai';
import type { Json } from 'fp-ts/lib/Json.js';
import { describe, it } from 'mocha';
import { isRecord } from '../../src/codecs/json.js';
import { documentsOf } from '../../src/api-docs/index.js';
import { benchContract } from '../../simulators/control/contract.js';
import { builtInKinds } from '../../simulators/control/kinds.js';
import { contracts } from './recorder.js';

interface Link {
  readonly $ref: string;
}

/** One direction of an operation. */
interface Side {
  readonly channel: Link;
  /** Undefined: all messages of the channel. */
  readonly messages?: readonly Link[];
}

interface AsyncApi {
  readonly channels: Readonly<
    Record<string, { readonly address: string; readonly parameters?: Readonly<Record<string, unknown>> }>
  >;
  readonly operations: Readonly<Record<string, Side & { readonly reply?: Side }>>;
}

const { resolve } = createRequire(import.meta.url);

const SPECIFICATION = resolve('@asyncapi/specs/schemas/3.0.0.json');

// The schema defines the meta-schema of JSON Schema itself, and Ajv refuses a second one.
const ajv = new Ajv({
  strict: false,
  meta: false,
  validateSchema: false,
  validateFormats: false,
  allErrors: true,
});

const conforms = ajv.compile<AsyncApi>(JSON.parse(readFileSync(SPECIFICATION, 'utf8')) as SchemaObject);

const CHANNELS = '#/channels/';

const sideProblems = (name: string, { channel, messages = [] }: Side): readonly string[] => [
  ...(channel.$ref.startsWith(CHANNELS) ? [] : [`${name}: ${channel.$ref} is not below ${CHANNELS}`]),
  ...messages
    .filter(({ $ref }) => !$ref.startsWith(`${channel.$ref}/messages/`))
    .map(({ $ref }) => `${name}: ${$ref} is not a message of ${channel.$ref}`),
];

/** Checks rules about channels and operations that the specification has in words, not in its schema. */
const linkProblems = ({ channels, operations }: AsyncApi): readonly string[] => [
  ...Object.entries(channels).flatMap(([name, { address, parameters = {} }]) => {
    const named = Array.from(address.matchAll(/\{(\w+)\}/g), ([, parameter = '']) => parameter);
    return [
      ...(/[?#]/.test(name) ? [`${name}: a channel has neither a query nor a fragment`] : []),
      ...named.filter((key) => !(key in parameters)).map((key) => `${name}: there is no parameter ${key}`),
      ...Object.keys(parameters)
        .filter((key) => !named.includes(key))
        .map((key) => `${name}: its address has no ${key}`),
    ];
  }),
  ...Object.entries(operations).flatMap(([name, operation]) =>
    [operation, ...(operation.reply === undefined ? [] : [operation.reply])].flatMap((side) =>
      sideProblems(name, side),
    ),
  ),
];

/** The broker decides who may publish and subscribe. */
const OF_BROKER = { rule: 'security-defined', places: '#/operations/mqtt_' };

type Rules = NonNullable<RawUniversalConfig['rules']>;

/** The violations of Redocly's rules, which follow links, each with its place, message and rule. */
const lintProblems = async (
  document: Json,
  absoluteRef: string,
  rules: Rules = {},
): Promise<readonly string[]> => {
  const config = await createConfig({ extends: ['recommended'], rules });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef, config });
  return problems
    .map(({ ruleId, message, location: [place] }) => ({ ruleId, message, place: place?.pointer ?? '' }))
    .filter(({ ruleId, place }) => !(ruleId === OF_BROKER.rule && place.startsWith(OF_BROKER.places)))
    .map(({ ruleId, message, place }) => `${place}: ${message} (${ruleId})`);
};

/** Checks a document by the schema of the specification, by Redocly's rules, and by the rules in words. */
const asyncApiProblems = async (document: Json): Promise<readonly string[]> =>
  conforms(document)
    ? [
        ...linkProblems(document),
        ...(await lintProblems(document, 'asyncapi.json', { 'info-license-strict': 'off' })),
      ]
    : (conforms.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);

/** The keywords of the parts of a schema. */
const PARTS = ['anyOf', 'oneOf', 'allOf', 'items'];

/** Whether a schema is clear: it has a description, is a constant, or has fields, which have descriptions. */
const isClear = (schema: Json): boolean => {
  if (Array.isArray(schema)) return schema.some(isClear);
  if (!isRecord(schema)) return false;
  const { type, enum: values } = schema;
  const isConstant = Array.isArray(values) && values.length === 1;
  const hasOwn = ['description', '$ref', 'const', 'not'].some((keyword) => keyword in schema);
  return hasOwn || isConstant || type === 'object' || PARTS.some((part) => isClear(schema[part] ?? null));
};

/** The places of fields and parameters without a description. */
const unclearIn = (value: Json, place: string): readonly string[] => {
  if (!isRecord(value) && !Array.isArray(value)) return [];
  const { properties, name: ofParameter, schema } = isRecord(value) ? value : {};
  const fields = isRecord(properties) ? Object.entries<Json>(properties) : [];
  const parameter =
    typeof ofParameter === 'string' && schema !== undefined ? [[ofParameter, schema] as const] : [];
  return [
    ...[...fields, ...parameter].flatMap(([name, member]) => (isClear(member) ? [] : [`${place}.${name}`])),
    ...Object.entries<Json>(value).flatMap(([name, member]) =>
      // `properties` is not a schema: a field may have the name of a keyword.
      name === 'properties' && isRecord(member)
        ? Object.entries<Json>(member).flatMap(([key, inner]) => unclearIn(inner, `${place}/${name}/${key}`))
        : unclearIn(member, `${place}/${name}`),
    ),
  ];
};

describe('Documents', () => {
  for (const contract of [...contracts, { ...benchContract(builtInKinds), title: 'a bench' }]) {
    const { openapi, asyncapi } = documentsOf(contract, 'optional');

    it(`of ${contract.title} are valid OpenAPI`, async () => {
      expect(await lintProblems(openapi(), `${contract.name}.openapi.json`)).to.deep.equal([]);
    });

    it(`of ${contract.title} are valid AsyncAPI`, async () => {
      expect(await asyncApiProblems(asyncapi())).to.deep.equal([]);
    });

    it(`of ${contract.title} describe each field and parameter`, () => {
      const unclear = [unclearIn(openapi(), 'openapi'), unclearIn(asyncapi(), 'asyncapi')].flat();
      expect(unclear).to.deep.equal([]);
    });
  }
});

describe('The check of AsyncAPI documents', () => {
  const good = JSON.stringify(documentsOf(contracts[0], 'optional').asyncapi());
  const BROKEN: readonly (readonly [defect: string, part: string | RegExp, by: string, problem: string])[] = [
    ['an unknown version', '"asyncapi":"3.0.0"', '"asyncapi":"3.9.0"', '/asyncapi'],
    ['an unknown action', '"action":"send"', '"action":"shout"', '/action'],
    ['a schema of an unknown type', '"type":"boolean"', '"type":"strange"', '/type'],
    [
      'a link to nothing',
      /"#\/components\/schemas\/\w+"/,
      '"#/components/schemas/Nothing"',
      'no-unresolved-refs',
    ],
    [
      'a link to something other than a channel',
      '"channel":{"$ref":"#/channels/ws"}',
      '"channel":{"$ref":"#/components/ws"}',
      'not below',
    ],
    [
      'a message of another channel',
      '"$ref":"#/channels/ws/messages/',
      '"$ref":"#/channels/mqtt_result/messages/',
      'is not a message of',
    ],
    [
      'a parameter that is not described',
      '"prefix":{"description"',
      '"prefixes":{"description"',
      'no parameter prefix',
    ],
    ['a parameter that the address lacks', '"{prefix}/', '"/', 'has no prefix'],
    ['a channel with a query', '"channels":{"ws":', '"channels":{"ws?x":', 'neither a query'],
  ];
  for (const [defect, part, by, problem] of BROKEN) {
    it(`names ${defect}`, async () => {
      const broken = good.replace(part, by);
      expect(broken).to.not.equal(good);
      expect((await asyncApiProblems(JSON.parse(broken) as Json)).join('\n')).to.contain(problem);
    });
  }
});
