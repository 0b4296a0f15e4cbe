/** Files that outlive the program that wrote them: each carries the version of its form. */
import { linkSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { isSameFile } from './files.js';
import { codeOf } from './system-error.js';

/** What turns each version into the next: the step at index `n` is handed version `n`. */
export type Steps<A> = readonly ((older: A) => A)[];

/** What a file holds, in the form of now. */
export interface Upgraded<A> {
  readonly content: A;
  /** The version that it was converted from, if it was. */
  readonly from: number | undefined;
}

/** A file without a version is of version 0. Left, of `it`: it is of a newer airbench, or its version is none. */
export const upgrade = <A>(steps: Steps<A>, version: unknown, content: A): E.Either<string, Upgraded<A>> => {
  const from = version ?? 0;
  if (typeof from !== 'number' || !Number.isInteger(from) || from < 0) {
    return E.left(`its version must be a whole number, got ${JSON.stringify(from)}`);
  }
  if (from > steps.length) {
    return E.left(`it is of version ${from}, this airbench knows ${steps.length}: install a newer airbench`);
  }
  return E.right({
    content: steps.slice(from).reduce((older, step) => step(older), content),
    from: from < steps.length ? from : undefined,
  });
};

/**
 * Keeps a file of `version` under another name, which it returns, `tokens.json.v0.bak`, before another file takes its
 * place. A copy that is there already stays, and is enough if a kill left it before the file was replaced.
 */
export const keepCopy = (path: string, version: number): string => {
  for (let n = 1; ; n++) {
    const copy = `${path}.v${version}${n === 1 ? '' : `-${n}`}.bak`;
    try {
      // A link is there as a whole or not at all.
      linkSync(path, copy);
      return copy;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      if (isSameFile(path, copy)) return copy;
    }
  }
};
