/** The operations of a server's contract over MQTT, each decoded from one JSON object. */
import {
  keysOf,
  type AnyEndpoint,
  type Command,
  type RawRequest,
  type TypeTable,
} from '../contract/index.js';
import { bindOperations, type BoundOperation, type Handlers, type ServerError } from '../operations/index.js';

export type Payload = Readonly<Record<string, unknown>>;

export type Operations = Readonly<Record<string, BoundOperation<Payload>>>;

/** A payload has the fields of the path, the query and the body in one object. */
const rawRequestOf = ({ params, query }: AnyEndpoint, payload: Payload): RawRequest => {
  const textsOf = (names: Readonly<Record<string, unknown>>): Record<string, string> =>
    Object.fromEntries(
      keysOf(names).flatMap((name) => {
        const value = payload[name];
        if (value === undefined) return [];
        return [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
      }),
    );
  return { params: textsOf(params), query: new URLSearchParams(textsOf(query)), body: payload };
};

interface EndpointOperation {
  readonly endpoint: AnyEndpoint;
  readonly operation: BoundOperation<RawRequest>;
}

export const endpointOperations = (bound: readonly EndpointOperation[]): Operations =>
  Object.fromEntries(
    bound.map(({ endpoint, operation: { prepare, ...operation } }) => [
      operation.name,
      { ...operation, prepare: (payload: Payload) => prepare(rawRequestOf(endpoint, payload)) },
    ]),
  );

/** The operations of commands, with their parameters in a payload. */
export const commandOperations = <S extends TypeTable, Failure>(
  commands: { readonly [N in keyof S]: Command<S[N]['input'], S[N]['output']> },
  handlers: Handlers<S, Failure>,
  toServerError: (failure: Failure) => ServerError,
): Operations => {
  const rowOf = (name: keyof S) => [name, { ...commands[name], read: commands[name].readPayload }] as const;
  const rows = Object.fromEntries(keysOf(commands).map(rowOf)) as typeof commands;
  return bindOperations(rows, handlers, toServerError);
};
