/** The devices that a server connects at start. */
import type { Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { readJson } from '../../system/files.js';
import { decode } from '../../codecs/index.js';
import { flag, grouped, listFlag, type Read } from './options.js';

interface Keepable<A> {
  readonly kind: string;
  /** A device in a file. */
  readonly codec: t.Type<A, unknown>;
  /** A description of the input of `codec`, for people. */
  readonly form: string;
  /** The notation of a device on the command line, and its conversion to the input of `codec`. */
  readonly notation: string;
  readonly read: (input: string) => unknown;
}

const readOne =
  <A>({ codec, read }: Keepable<A>) =>
  (input: string): E.Either<string, A> =>
    pipe(
      read(input),
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

export const keepOptions = <A>(keepable: Keepable<A>): readonly Option[] =>
  [
    listFlag(
      `--connect <${keepable.notation}>`,
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
  ].map(grouped('Devices'));
