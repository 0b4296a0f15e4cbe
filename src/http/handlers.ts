/** What does the work of the rows of a contract: the compiler names a row without a handler, and no handler decodes or encodes. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { ParseError } from '../codecs/index.js';
import type { Row, Rows, Shapes } from '../contract/index.js';
import type { ServerError } from './errors.js';

/** A handler for each row; `Context` is what it knows of the client, `Failure` how it fails. */
export type Handlers<S extends Shapes, Context, Failure> = {
  readonly [N in keyof S]: (given: S[N]['given'], context: Context) => TE.TaskEither<Failure, S[N]['answer']>;
};

/** Reads `raw`; Right executes the request. */
export type Bound<Raw, Context, Out> = (
  raw: Raw,
) => E.Either<ParseError, (context: Context) => TE.TaskEither<ServerError, Out>>;

export const bindRow =
  <Raw, Given, Answer, Context, Failure, Out>(
    { read, write }: Pick<Row<Raw, Given, Answer, Out>, 'read' | 'write'>,
    handler: (given: Given, context: Context) => TE.TaskEither<Failure, Answer>,
    fold: (failure: Failure) => ServerError,
  ): Bound<Raw, Context, Out> =>
  (raw) =>
    pipe(
      read(raw),
      // Not TE.map: that begins a microtask later, when another may have come first.
      E.map((given) => (context) => () => handler(given, context)().then(E.bimap(fold, write))),
    );

/** Binds each row of a table to its handler, whose failures `fold` turns into those of the server. */
export const bindRows =
  <S extends Shapes, Raw, Context, Failure, Out>(
    rows: Rows<Raw, S, Out>,
    handlers: Handlers<S, Context, Failure>,
    fold: (failure: Failure) => ServerError,
  ) =>
  (name: keyof S): Bound<Raw, Context, Out> =>
    bindRow(rows[name], handlers[name], fold);
