/** What all rows of a contract have in common: a request, read from `Raw`, and its response, written as `Out`. */
import type { Either } from 'fp-ts/lib/Either.js';
import type { AnyCodec, ParseError } from '../codecs/index.js';
import type { Access } from './access.js';
import type { FailureCode } from './failures.js';

export interface Row<Raw, Given, Answer, Out> {
  readonly summary: string;
  readonly access: Access;
  /** Whether it is in the metrics of commands. */
  readonly isMeasured: boolean;
  /** The codec of the answer. */
  readonly response: AnyCodec;
  /** The codes that it may fail with, beside those that anything may fail with. */
  readonly fails: readonly FailureCode[];
  readonly read: (raw: Raw) => Either<ParseError, Given>;
  readonly write: (answer: Answer) => Out;
}

/** What a row is given and what it answers. */
export interface Shape<Given = unknown, Answer = unknown> {
  readonly given: Given;
  readonly answer: Answer;
}

export type Shapes = Readonly<Record<string, Shape>>;

/** Rows by name. */
export type Rows<Raw, S extends Shapes, Out> = {
  readonly [N in keyof S]: Row<Raw, S[N]['given'], S[N]['answer'], Out>;
};

/** The shapes of a table of rows. */
export type ShapesOf<T> = {
  readonly [N in keyof T]: T[N] extends Row<never, infer Given, infer Answer, unknown>
    ? Shape<Given, Answer>
    : never;
};

/** What the answer of a row is. */
export const mediaType = ({ response }: Pick<Row<never, unknown, never, unknown>, 'response'>): string => {
  const { contentMediaType } = response.schema.gives;
  return typeof contentMediaType === 'string' ? contentMediaType : 'application/json';
};

/** The names of a table. */
export const keysOf = <N extends string>(table: Readonly<Record<N, unknown>>): readonly N[] =>
  Object.keys(table) as N[];
