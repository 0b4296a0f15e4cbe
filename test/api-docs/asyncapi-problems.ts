/** The errors of an AsyncAPI 3.0 document. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv, type SchemaObject } from 'ajv';

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

const lintProblems = async (document: unknown): Promise<readonly string[]> => {
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'asyncapi.json',
    config: await createConfig({ extends: ['recommended'], rules: { 'info-license-strict': 'off' } }),
  });
  return problems
    .map(({ ruleId, message, location: [place] }) => ({ ruleId, message, place: place?.pointer ?? '' }))
    .filter(({ ruleId, place }) => !(ruleId === OF_BROKER.rule && place.startsWith(OF_BROKER.places)))
    .map(({ ruleId, message, place }) => `${place}: ${message} (${ruleId})`);
};

/** Checks the schema of the specification, Redocly's rules, which follow links, and rules that the specification has only in words. */
export const asyncApiProblems = async (document: unknown): Promise<readonly string[]> =>
  conforms(document)
    ? [...linkProblems(document), ...(await lintProblems(document))]
    : (conforms.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
