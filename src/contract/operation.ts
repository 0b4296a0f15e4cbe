/** The common part of all operations of a contract: an input, read from `Raw`, and an output, written as `Out`. */
import type { Either } from 'fp-ts/lib/Either.js';
import type { AnyCodec, ParseError } from '../codecs/index.js';
import type { Access, FailureCode } from './failures.js';

export interface Operation<Raw, Input, Output, Out> {
  readonly summary: string;
  readonly access: Access;
  /** Whether the operation is in the metrics of commands. */
  readonly isMeasured: boolean;
  /** The codec of the answer. */
  readonly response: AnyCodec;
  /** The error codes of the operation, beside the codes of all operations. */
  readonly fails: readonly FailureCode[];
  readonly read: (raw: Raw) => Either<ParseError, Input>;
  readonly write: (output: Output) => Out;
}

/** The types of an operation. */
export interface OperationTypes<Input = unknown, Output = unknown> {
  readonly input: Input;
  readonly output: Output;
}

export type TypeTable = Readonly<Record<string, OperationTypes>>;

/** Operations by name. */
export type OperationTable<Raw, S extends TypeTable, Out> = {
  readonly [N in keyof S]: Operation<Raw, S[N]['input'], S[N]['output'], Out>;
};

/** The types of a table of operations. */
export type TypesOf<T> = {
  readonly [N in keyof T]: T[N] extends Operation<never, infer Input, infer Output, unknown>
    ? OperationTypes<Input, Output>
    : never;
};

/** The media type of the response. */
export const mediaType = ({
  response,
}: Pick<Operation<never, unknown, never, unknown>, 'response'>): string => {
  const { contentMediaType } = response.schema.output;
  return typeof contentMediaType === 'string' ? contentMediaType : 'application/json';
};

/** The names of a table. */
export const keysOf = <N extends string>(table: Readonly<Record<N, unknown>>): readonly N[] =>
  Object.keys(table) as N[];
