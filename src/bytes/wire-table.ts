/** A protocol as one table: each row has a payload; encoding and decoding look up its rows. */
import * as E from 'fp-ts/lib/Either.js';
import type { Layout } from './layout.js';

export interface WireRow {
  readonly payload: Layout<unknown>;
}

type WireTable = Readonly<Record<string, WireRow>>;

type PayloadOf<R extends WireRow> = R['payload'] extends Layout<infer P> ? P : never;

/** A value of a table: the key of its row as `_tag`, and the values of the payload. */
export type ValueOf<T extends WireTable> = {
  readonly [K in keyof T]: { readonly _tag: K } & PayloadOf<T[K]>;
}[keyof T];

/** The keys and rows of a table, in its order. */
export const rowsOf = <K extends string, R extends WireRow>(
  table: Readonly<Record<K, R>>,
): readonly (readonly [K, R])[] => Object.entries<R>(table) as [K, R][];

/**
 * Reads a payload by the first of `rows` that fits it. Left: a message about a value without meaning, or all the sizes
 * that the payload might have had.
 */
export const readPayload = <T extends WireTable>(
  rows: readonly (readonly [keyof T & string, WireRow])[],
  bytes: Buffer,
): E.Either<string | readonly number[], ValueOf<T>> => {
  let firstProblem: string | undefined;
  for (const [_tag, { payload }] of rows) {
    if (!payload.sizes.includes(bytes.length)) continue;
    const problem = payload.problem(bytes);
    if (problem === undefined) return E.right({ _tag, ...(payload.read(bytes) as object) } as ValueOf<T>);
    firstProblem ??= problem;
  }
  return E.left(firstProblem ?? [...new Set(rows.flatMap(([, { payload }]) => payload.sizes))]);
};
