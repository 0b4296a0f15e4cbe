/** Examples from a walk, without values that differ from walk to walk. */
import type { Json } from 'fp-ts/lib/Json.js';
import { Documents } from '../../features/clients/documents.js';
import { asyncApi, NO_EXAMPLES, openApi, type Examples } from '../../src/api-docs/index.js';
import { documentEndpoints } from '../../src/contract/index.js';
import { codeOf, property, type Exchange, type Message } from './recorder.js';
import type { Walked } from './walk.js';

interface Named {
  /** The first message of each name. */
  readonly names: ReadonlyMap<string, unknown>;
  /** Messages without a name. */
  readonly others: readonly unknown[];
}

const typeOf = (request: unknown): string => String(property(property(request, 'command'), 'type'));

/** The names of all messages. The name of a response is by its request. */
export const named = ({ messages }: Pick<Walked, 'messages'>, documents: Documents): Named => {
  const requests = new Map<string, string>();
  const keyOf = ({ path, query, message }: Message): string =>
    `${path}${query} ${String(property(message, 'id'))}`;
  for (const said of messages.filter(({ sender }) => sender === 'client')) {
    requests.set(keyOf(said), typeOf(said.message));
  }

  const namesOf = (sent: Message): readonly string[] => {
    const { path, sender, message } = sent;
    if (sender === 'client') return [typeOf(message)];
    const type = requests.get(keyOf(sent));
    return property(message, 'result') === undefined || property(message, 'error') !== null
      ? documents.namesOf(path, message)
      : [`${type}_result`];
  };

  const names = new Map<string, unknown>();
  const others: unknown[] = [];
  for (const sent of messages) {
    const { message } = sent;
    const fitting = namesOf(sent).filter((name) => documents.isMessage(name, message));
    if (fitting.length === 0) others.push(message);
    for (const name of fitting) if (!names.has(name)) names.set(name, message);
  }
  return { names, others };
};

const PROXY_PORT = 6053;

/** The values that differ from walk to walk: measured times, and ports and folders of this machine. */
const VARYING: Readonly<Record<string, Json>> = {
  seq: 42,
  elapsed_ms: 1500,
  port: PROXY_PORT,
  request_id: '7f2c9a34-5d0e-4b1a-9c61-0e8f5a6b7c8d',
};
const FOLDER = /\S+airbench-api-docs-\w+/g;
const PORT = /\bport \d+/g;
/** The time of a recorded packet, to the microsecond. */
const RECORDED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const MOST_ITEMS = 3;

const steady = (value: unknown): Json => {
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map(steady);
  if (typeof value === 'string')
    return value
      .replaceAll(FOLDER, '/var/lib/airbench')
      .replaceAll(PORT, `port ${PROXY_PORT}`)
      .replace(RECORDED, '2026-01-02T03:04:05.678901Z');
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object') throw new Error(`${typeof value} is not JSON`);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, VARYING[name] ?? steady(field)]),
  );
};

const isShown = ({ operation, body }: Exchange): boolean =>
  !(operation in documentEndpoints) && !Buffer.isBuffer(body);

const operationOf = ({
  given: { body, parameters },
  body: answer,
}: Exchange): Examples['operations'][string] => ({
  ...(body === undefined ? {} : { request: steady(body) }),
  ...(parameters === undefined ? {} : { parameters }),
  answer: steady(answer),
});

/** The first value of each key, in the order of the keys. */
const firsts = <A>(entries: readonly (readonly [string, A])[]): Readonly<Record<string, A>> =>
  Object.fromEntries([...new Map([...entries].reverse())].sort(([a], [b]) => (a < b ? -1 : 1)));

export const examplesOf = (walked: Walked): Examples => {
  const { contract, exchanges } = walked;
  const documents = new Documents(openApi(contract, NO_EXAMPLES), asyncApi(contract, NO_EXAMPLES));
  const { names } = named(walked, documents);
  const shown = exchanges.filter(isShown);
  const succeeded = shown.filter(({ status }) => status === 200);
  return {
    operations: firsts(succeeded.map((exchange) => [exchange.operation, operationOf(exchange)])),
    errors: firsts(
      shown.flatMap((exchange) => {
        const code = codeOf(exchange);
        return code === undefined ? [] : [[code, steady(exchange.body)] as const];
      }),
    ),
    messages: Object.fromEntries(
      documents.messages.flatMap((name) =>
        names.has(name) ? [[name, steady(names.get(name))] as const] : [],
      ),
    ),
  };
};

/** A line for each example. */
export const examplesText = (examples: Examples): string => {
  const parts = Object.entries(examples).map(([part, values]) => {
    const lines = Object.entries(values).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
    return `"${part}": {\n${lines.join(',\n')}\n}`;
  });
  return `{\n${parts.join(',\n')}\n}\n`;
};
