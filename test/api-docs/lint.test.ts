/** The documents of all servers by the rules of OpenAPI and AsyncAPI. */
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
  /** All of the channel, if it names none. */
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

// The schema has the meta-schema of JSON Schema among its definitions, which Ajv must not have twice.
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
    .map(({ $ref }) => `${name}: ${$ref} is no message of ${channel.$ref}`),
];

/** The rules of the specification about channels and operations that it has in words alone, not in its schema. */
const linkProblems = ({ channels, operations }: AsyncApi): readonly string[] => [
  ...Object.entries(channels).flatMap(([name, { address, parameters = {} }]) => {
    const named = Array.from(address.matchAll(/\{(\w+)\}/g), ([, parameter = '']) => parameter);
    return [
      ...(/[?#]/.test(name) ? [`${name}: a channel has neither a query nor a fragment`] : []),
      ...named.filter((one) => !(one in parameters)).map((one) => `${name}: there is no parameter ${one}`),
      ...Object.keys(parameters)
        .filter((one) => !named.includes(one))
        .map((one) => `${name}: its address has no ${one}`),
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

/** The violations of Redocly's rules, which follow links: the place, the message and the rule. */
const lintProblems = async (
  document: Json,
  absoluteRef: string,
  rules: Rules,
): Promise<readonly string[]> => {
  const config = await createConfig({ extends: ['recommended'], rules });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef, config });
  return problems
    .map(({ ruleId, message, location: [place] }) => ({ ruleId, message, place: place?.pointer ?? '' }))
    .filter(({ ruleId, place }) => !(ruleId === OF_BROKER.rule && place.startsWith(OF_BROKER.places)))
    .map(({ ruleId, message, place }) => `${place}: ${message} (${ruleId})`);
};

/** Checks the schema of the specification, Redocly's rules, and rules that the specification has only in words. */
const asyncApiProblems = async (document: Json): Promise<readonly string[]> =>
  conforms(document)
    ? [
        ...linkProblems(document),
        ...(await lintProblems(document, 'asyncapi.json', { 'info-license-strict': 'off' })),
      ]
    : (conforms.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);

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
  const { properties, name: ofParameter, schema } = isRecord(value) ? value : {};
  const fields = isRecord(properties) ? Object.entries<Json>(properties) : [];
  const parameter =
    typeof ofParameter === 'string' && schema !== undefined ? [[ofParameter, schema] as const] : [];
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
  for (const contract of [...contracts, { ...benchContract(builtInKinds), title: 'a bench' }]) {
    const { openapi, asyncapi } = documentsOf(contract, 'optional');

    it(`are good OpenAPI: ${contract.title}`, async () => {
      // Redocly finds no fields of an example beside a choice of references; the walk checks what examples are made of.
      const rule = { severity: 'error', allowAdditionalProperties: true } as const;
      const rules = { 'no-invalid-media-type-examples': rule };
      const problems = await lintProblems(openapi(), `${contract.name}.openapi.json`, rules);
      expect(problems).to.deep.equal([]);
    });

    it(`are good AsyncAPI: ${contract.title}`, async () => {
      expect(await asyncApiProblems(asyncapi())).to.deep.equal([]);
    });

    it(`describe each field and parameter: ${contract.title}`, () => {
      const unclear = [unclearIn(openapi(), 'openapi'), unclearIn(asyncapi(), 'asyncapi')].flat();
      expect(unclear).to.deep.equal([]);
    });
  }
});

describe('The check of AsyncAPI documents', () => {
  const good = JSON.stringify(documentsOf(contracts[0], 'optional').asyncapi());
  const BROKEN: readonly (readonly [what: string, part: string | RegExp, other: string, problem: string])[] =
    [
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
        'is no message of',
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
  for (const [what, part, other, problem] of BROKEN) {
    it(`names ${what}`, async () => {
      const broken = good.replace(part, other);
      expect(broken).to.not.equal(good);
      expect((await asyncApiProblems(JSON.parse(broken) as Json)).join('\n')).to.contain(problem);
    });
  }
});
