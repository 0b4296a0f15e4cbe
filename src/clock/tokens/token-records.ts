/**
 * The content of the file of the tokens. People may have edited it: a record that cannot be read is not used, and
 * stays as it is.
 */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import type { Address } from '../../ble/ports.js';
import {
  anyObject,
  deviceAddress,
  matching,
  object,
  objectWith,
  oneOf,
  parseJson,
} from '../../codecs/index.js';
import { checkVersion, FILE_VERSION } from '../../system/files.js';

/** A token and its state. `pending`: the clock may have seen the token, but has not proven that it is bound to it. */
const StoredToken = object({
  token: matching('32 hex digits', /^[0-9a-fA-F]{32}$/, (digits) => digits.toLowerCase()),
  state: oneOf(['pending', 'proven']),
});
type StoredToken = t.TypeOf<typeof StoredToken>;
const StoreFile = objectWith({}, { clocks: anyObject });

/** The whole file; unknown fields are kept. */
export type StoreFile = t.TypeOf<typeof StoreFile>;

/** A record with its name in the file, an address in upper or lower case. */
interface Entry {
  readonly name: string;
  readonly address: Address;
  /** The record with all its fields. */
  readonly record: StoredToken;
}

export const NO_TOKENS: StoreFile & { readonly version: number } = { version: FILE_VERSION };

/** The reason why a text cannot be used: it is not a token store, or its version is unknown. */
interface StoreProblem {
  readonly _tag: 'Broken' | 'Unknown';
  readonly reason: string;
}

const problem =
  (tag: StoreProblem['_tag']) =>
  (reason: string): StoreProblem => ({ _tag: tag, reason });
const noStore = (): StoreProblem => problem('Broken')('it is not a token store');

/** Checks the version first: the content of a newer store may have any form. */
export const readStore = (text: string): E.Either<StoreProblem, StoreFile> =>
  pipe(
    parseJson(text, 'it'),
    E.mapLeft(({ message }) => problem('Broken')(message)),
    E.chain((json) => pipe(anyObject.decode(json), E.mapLeft(noStore))),
    E.chainFirst((file) => pipe(checkVersion(file['version']), E.mapLeft(problem('Unknown')))),
    E.chain((file) => pipe(StoreFile.decode(file), E.mapLeft(noStore))),
  );

export const writeStore = (file: StoreFile): string => `${JSON.stringify(file, null, 2)}\n`;

/** Left: a message with the name of the wrong field, but not its value, which may be a token, or a part of one. */
const readEntry = (name: string, value: unknown): E.Either<string, Entry> =>
  pipe(
    deviceAddress.decode(name),
    E.mapLeft(() => 'its name is not an address'),
    E.chain((address) =>
      pipe(
        StoredToken.decode(value),
        E.bimap(
          ([first]) => {
            const field = first?.context.at(-1);
            const subject = field === undefined || field.key === '' ? 'it' : `its ${field.key}`;
            return `${subject} must be ${(field?.type ?? StoredToken).name}`;
          },
          (stored) => ({ name, address, record: stored }),
        ),
      ),
    ),
  );

const entriesIn = ({ clocks = {} }: StoreFile): readonly Entry[] =>
  Object.entries(clocks).flatMap(([name, value]) => {
    const entry = readEntry(name, value);
    return E.isRight(entry) ? [entry.right] : [];
  });

const looksLikeToken = (name: string): boolean => /[0-9a-f]{32}/i.test(name);

/** The records that a person should check, each with the reason; `clock`: the name of the record, but never a token. */
export const problemsIn = (file: StoreFile) => {
  const unreadable = Object.entries(file.clocks ?? {}).flatMap(([name, value]) => {
    const entry = readEntry(name, value);
    const clock = looksLikeToken(name) ? 'a record whose name looks like a token' : name;
    return E.isLeft(entry) ? [{ clock, reason: `its record cannot be read: ${entry.left}` }] : [];
  });
  const addresses = entriesIn(file).map(({ address }) => address);
  const doubled = new Set(addresses.filter((address, index) => addresses.indexOf(address) < index));
  return [
    ...unreadable,
    ...[...doubled].map((clock) => ({ clock, reason: 'it has more than one record: a proven one counts' })),
  ];
};

/** The token of a clock: of several records a proven one counts, then one whose address is in upper case. */
export const tokenIn = (file: StoreFile, address: Address): StoredToken | undefined => {
  const ofClock = entriesIn(file).filter((entry) => entry.address === address);
  const proven = ofClock.filter(({ record }) => record.state === 'proven');
  const candidates = proven.length > 0 ? proven : ofClock;
  return (candidates.find(({ name }) => name === address) ?? candidates[0])?.record;
};

/**
 * The file with this token for a clock. A record with the same token keeps its name and its other fields; a record with the
 * name of the clock that cannot be read gets another name.
 */
export const withToken = (
  file: StoreFile,
  address: Address,
  { token, state }: StoredToken,
  now: Date,
): StoreFile => {
  const { clocks = {} } = file;
  const sameToken = entriesIn(file).find(
    (entry) => entry.address === address && entry.record.token === token,
  );
  if (sameToken !== undefined) {
    return { ...file, clocks: { ...clocks, [sameToken.name]: { ...sameToken.record, state } } };
  }
  const renamed = Object.entries(clocks).map(([name, value]): readonly [string, unknown] =>
    name === address && E.isLeft(readEntry(name, value))
      ? [`${name} unreadable ${now.toISOString()}`, value]
      : [name, value],
  );
  return { ...file, clocks: { ...Object.fromEntries(renamed), [address]: { token, state } } };
};

/** The file without the pending records of a clock that have this token. */
export const withoutPending = (file: StoreFile, address: Address, token: string): StoreFile => {
  const refused = entriesIn(file)
    .filter((entry) => entry.address === address)
    .filter(({ record }) => record.token === token && record.state === 'pending')
    .map(({ name }) => name);
  if (refused.length === 0) return file;
  const left = Object.entries(file.clocks ?? {}).filter(([name]) => !refused.includes(name));
  return { ...file, clocks: Object.fromEntries(left) };
};
