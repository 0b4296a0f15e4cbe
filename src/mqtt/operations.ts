/** What can be asked of a server over MQTT: the rows of its contract, each read from one JSON object. */
import type { Json } from 'fp-ts/lib/Json.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as E from 'fp-ts/lib/Either.js';
import type { ParseError } from '../codecs/index.js';
import { keysOf, type AnyEndpoint, type Command, type RawRequest, type Shapes } from '../contract/index.js';
import { bindRow, type Handlers, type Route, type ServerError } from '../http/index.js';

export type Payload = Readonly<Record<string, unknown>>;

/** Reads a payload; Right does the work. */
export type Operation = (
  payload: Payload,
) => E.Either<ParseError, (signal: AbortSignal) => TE.TaskEither<ServerError, Json | Buffer>>;

/** By name. */
export type Operations = Readonly<Record<string, Operation>>;

/** A payload has the parts of the path, of the query and of the body beside each other. */
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

/** The operations of routes, by the names that their endpoints have in the contract. */
export const operationsOf = (
  endpoints: Readonly<Record<string, AnyEndpoint>>,
  routes: readonly Route[],
): Operations =>
  Object.fromEntries(
    keysOf(endpoints).flatMap((name) => {
      const route = routes.find(({ endpoint }) => endpoint === endpoints[name]);
      if (route === undefined) return [];
      const { endpoint, answer } = route;
      const operation: Operation = (payload) => answer(rawRequestOf(endpoint, payload));
      return [[name, operation] as const];
    }),
  );

/** The operations of commands, which a payload has the parameters of. */
export const commandOperations = <S extends Shapes, Failure>(
  commands: { readonly [N in keyof S]: Command<S[N]['given'], S[N]['answer']> },
  handlers: Handlers<S, { readonly signal: AbortSignal }, Failure>,
  fold: (failure: Failure) => ServerError,
): Operations => {
  const operationOf = (name: keyof S): Operation => {
    const { readParameters: read, write } = commands[name];
    const bound = bindRow({ read, write }, handlers[name], fold);
    return (payload) =>
      pipe(
        bound(payload),
        E.map((run) => (signal) => run({ signal })),
      );
  };
  return Object.fromEntries(keysOf(commands).map((name) => [name, operationOf(name)]));
};
