/** Which devices a server connects by itself. */
import type { Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { readJson } from '../../system/files.js';
import { decode } from '../../codecs/index.js';
import { flag, listFlag, type Read } from './options.js';

interface Keepable<A> {
  readonly kind: string;
  /** One of them in a file. */
  readonly codec: t.Type<A, unknown>;
  /** The input of `codec`, for people. */
  readonly form: string;
  /** How one is written on the command line, and read from there for `codec`. */
  readonly written: string;
  readonly read: (given: string) => unknown;
}

const readOne =
  <A>({ codec, read }: Keepable<A>) =>
  (given: string): E.Either<string, A> =>
    pipe(
      read(given),
      decode(codec, 'it'),
      E.mapLeft(({ message }) => message),
    );

const readFile =
  <A>({ codec, form }: Keepable<A>): Read<readonly A[]> =>
  (path, previous) =>
    pipe(
      readJson(path),
      E.chain((json) =>
        pipe(
          json,
          decode(t.readonlyArray(codec, `a JSON array of ${form}`), 'it'),
          E.mapLeft(({ message }) => message),
        ),
      ),
      E.map((devices): readonly A[] => [...previous, ...devices]),
    );

export const keepOptions = <A>(keepable: Keepable<A>): readonly Option[] => [
  listFlag(
    `--connect <${keepable.written}>`,
    `connect this ${keepable.kind} at start, and again whenever its link is lost; repeatable`,
    readOne(keepable),
  ),
  flag<readonly A[]>(
    '--devices <file>',
    `the same for each device in a JSON file: [${keepable.form}]; repeatable`,
    readFile(keepable),
    [],
    'none',
  ),
];
