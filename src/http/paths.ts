/** Which of many paths is asked for: each is written as `/api/sessions` or, with named parts, `/api/battery/:session_id`. */
import * as E from 'fp-ts/lib/Either.js';
import { parseError } from '../codecs/index.js';
import type { ServerError } from './errors.js';

/** The named parts, decoded. */
export type Params = Readonly<Record<string, string>>;

export interface Found<A> {
  readonly place: A;
  readonly params: Params;
}

const NO_PARAMS: Params = {};

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);

const decoded = (parts: Params): E.Either<ServerError, Params> =>
  E.tryCatch(
    () =>
      Object.fromEntries(
        Object.entries(parts).map(([name, part]) => [name, decodeURIComponent(part)] as const),
      ),
    () => parseError('the path is not valid percent-encoding', 'malformed_request'),
  );

/** What is at the path of a request; undefined if nothing is. */
export const findPath = <A>(
  places: ReadonlyMap<string, A>,
): ((path: string) => E.Either<ServerError, Found<A> | undefined>) => {
  const plain = new Map<string, E.Either<never, Found<A>>>();
  const patterns: { readonly pattern: RegExp; readonly place: A }[] = [];
  for (const [path, place] of places) {
    if (path.includes(':')) patterns.push({ pattern: patternOf(path), place });
    else plain.set(path, E.right({ place, params: NO_PARAMS }));
  }
  return (path) => {
    const known = plain.get(path);
    if (known !== undefined) return known;
    for (const { pattern, place } of patterns) {
      const groups = pattern.exec(path)?.groups;
      if (groups !== undefined) return E.map((params: Params) => ({ place, params }))(decoded(groups));
    }
    return E.right(undefined);
  };
};
