/** The clients of operations, and the rows of a contract with their handlers: each row needs a handler, and no handler decodes or encodes. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Principal } from '../access/access.js';
import type { ParseError } from '../codecs/index.js';
import { keysOf, type Access, type Answer, type OperationTable, type TypeTable } from '../contract/index.js';
import { failure, type ServerError } from './errors.js';

/** The sender of a request. */
export interface Client {
  /** The key for the limit of requests: the client's token, network or broker. */
  readonly countedAs: string;
  /** The owner of the client's token. Left: the token is missing, unknown or revoked. */
  readonly principal: () => E.Either<ServerError, Principal>;
}

/** Left: `client` does not have `access` now. */
export const authorize = (client: Client, access: Access): E.Either<ServerError, void> => {
  if (access === 'open') return E.right(undefined);
  const principal = client.principal();
  if (E.isLeft(principal)) return principal;
  const { name, scope } = principal.right;
  return access === 'full' && scope === 'read'
    ? E.left(failure('forbidden', `the token of "${name}" may only read`))
    : E.right(undefined);
};

/** The circumstances of a request, beside its input. */
export interface RequestContext {
  /** Aborted when the client leaves or the server shuts down: all waits must end then. */
  readonly signal: AbortSignal;
  /** The media type of a stream that the client accepts rather than JSON. */
  readonly accepted?: string | undefined;
}

/** A handler for each operation; `Failure`: the type of its failures. */
export type Handlers<S extends TypeTable, Failure, Context = RequestContext> = {
  readonly [N in keyof S]: (input: S[N]['input'], context: Context) => TE.TaskEither<Failure, S[N]['output']>;
};

export interface BoundOperation<Raw, Context = RequestContext> {
  readonly name: string;
  readonly access: Access;
  /** Whether the operation is in the metrics of commands. */
  readonly isMeasured: boolean;
  /** Decodes `raw`. Right: a function that does the work and encodes its result. */
  readonly prepare: (
    raw: Raw,
  ) => E.Either<ParseError, (context: Context) => TE.TaskEither<ServerError, Answer>>;
}

/** Binds each operation of a table to its handler; `toServerError` makes errors of the server from its failures. */
export const bindOperations = <S extends TypeTable, Raw, Context, Failure>(
  operations: OperationTable<Raw, S, Answer>,
  handlers: Handlers<S, Failure, Context>,
  toServerError: (failure: Failure) => ServerError,
): { readonly [N in keyof S]: BoundOperation<Raw, Context> } => {
  const bind = (name: keyof S & string): BoundOperation<Raw, Context> => {
    const { access, isMeasured, read, write } = operations[name];
    const handler = handlers[name];
    return {
      name,
      access,
      isMeasured,
      prepare: (raw) =>
        pipe(
          read(raw),
          // Not TE.map, which begins a microtask later, perhaps after another operation.
          E.map((input) => (context) => () => handler(input, context)().then(E.bimap(toServerError, write))),
        ),
    };
  };
  return Object.fromEntries(keysOf(operations).map((name) => [name, bind(name)])) as {
    readonly [N in keyof S]: BoundOperation<Raw, Context>;
  };
};
