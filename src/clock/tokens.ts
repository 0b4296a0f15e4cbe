/**
 * The tokens by which clocks know this server, in one file. A clock binds to the first token it is shown, and there is
 * no way back but a reset: so a token is stored before a clock sees it, and what is stored survives everything.
 */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import * as t from 'io-ts';
import type { Logger } from 'pino';
import type { Address } from '../ble/ports.js';
import { parseJson } from '../files.js';
import { deviceAddress, matching, object, oneOf, withRule } from '../http/codecs.js';
import { systemReason } from '../system.js';
import type { Clock } from '../time.js';
import { SerialQueue } from '../serial-queue.js';
import { readText, withLock } from './token-file.js';

export const TOKENS_FILE = 'tokens.json';

/** 32 hex digits. `pending`: shown to its clock perhaps, and not proven to be what the clock is bound to. */
const StoredToken = object({
  token: matching('32 hex digits', /^[0-9a-f]{32}$/i, (given) => given.toLowerCase()),
  state: oneOf(['pending', 'proven']),
});
const isAddress = (key: string): boolean => {
  const address = deviceAddress.decode(key);
  return E.isRight(address) && address.right === key;
};
const StoreFile = object({
  version: t.literal(1),
  clocks: withRule(
    t.record(t.string, StoredToken),
    (clocks) => Object.keys(clocks).every(isAddress),
    'clocks must be named by their addresses',
  ),
});
type Stored = Readonly<Record<Address, t.TypeOf<typeof StoredToken>>>;

export interface Token {
  /** 16 bytes. */
  readonly bytes: Buffer;
  readonly proven: boolean;
}

/** The file cannot be read, written or locked. */
export interface StoreError {
  readonly _tag: 'StoreUnusable';
  readonly path: string;
  readonly reason: string;
}

/** One sentence for a person. */
export const storeSentence = ({ path, reason }: StoreError): string =>
  `the token store ${path} cannot be used: ${reason}`;

export interface TokenStore {
  /** The token for a clock: the stored one, or a new one that is stored as pending by then. */
  readonly tokenFor: (address: Address) => TE.TaskEither<StoreError, Token>;
  /** The clock has just proved to be bound to this token. */
  readonly promote: (address: Address, token: Buffer) => TE.TaskEither<StoreError, void>;
  /** The clock has refused this token. Nothing happens to a proven one. */
  readonly drop: (address: Address, token: Buffer) => TE.TaskEither<StoreError, void>;
}

export interface TokenStoreOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** 16 unguessable bytes. */
  readonly newToken: () => Buffer;
}

const decodeStore = (text: string): E.Either<string, Stored> =>
  pipe(
    parseJson(text),
    E.chain((json) =>
      pipe(
        StoreFile.decode(json),
        E.bimap(
          () => 'it is not a token store',
          ({ clocks }) => clocks,
        ),
      ),
    ),
  );

const encodeStore = (clocks: Stored): string => `${JSON.stringify({ version: 1, clocks }, null, 2)}\n`;

const tokenIn = (stored: Stored, address: Address): Token | undefined => {
  const entry = stored[address];
  return entry && { bytes: Buffer.from(entry.token, 'hex'), proven: entry.state === 'proven' };
};

/** Opens the store in `folder`, which is made if need be; a broken file is kept aside. */
export const openTokenStore = ({
  folder,
  clock,
  log,
  newToken,
}: TokenStoreOptions): TE.TaskEither<StoreError, TokenStore> => {
  const path = join(folder, TOKENS_FILE);
  const updates = new SerialQueue();

  const attempt = <A>(work: () => Promise<A>): TE.TaskEither<StoreError, A> =>
    TE.tryCatch(work, (thrown) => ({ _tag: 'StoreUnusable', path, reason: systemReason(thrown) }));

  /** Left: what is wrong with the file. */
  const read = async (): Promise<E.Either<string, Stored>> => {
    const text = await readText(path);
    return text === undefined ? E.right({}) : decodeStore(text);
  };

  const keepAside = async (reason: string): Promise<Stored> => {
    const aside = `${path}.broken-${clock.date().toISOString().replaceAll(':', '-')}`;
    await rename(path, aside);
    log.warn({ path, aside, reason }, 'the token store is broken: it is kept aside, and a new one begins');
    return {};
  };

  /** Reads, changes and writes while no other server does; `change` returns what it was given to leave it. */
  const update = (change: (stored: Stored) => Stored): TE.TaskEither<StoreError, Stored> => {
    const locked = attempt(() =>
      withLock(path, clock, async (replace) => {
        const found = await read();
        const stored = E.isRight(found) ? found.right : await keepAside(found.left);
        const changed = change(stored);
        if (changed !== stored) await replace(encodeStore(changed));
        return changed;
      }),
    );
    return () => updates.run(locked);
  };

  const store: TokenStore = {
    tokenFor: (address) =>
      pipe(
        attempt(read),
        TE.chain((found) => {
          const known = E.isRight(found) ? tokenIn(found.right, address) : undefined;
          if (known !== undefined) return TE.right(known);
          const fresh = newToken();
          return pipe(
            update((stored) =>
              address in stored
                ? stored
                : { ...stored, [address]: { token: fresh.toString('hex'), state: 'pending' } },
            ),
            TE.map((stored) => tokenIn(stored, address) ?? { bytes: fresh, proven: false }),
          );
        }),
      ),
    promote: (address, token) =>
      pipe(
        update((stored) => ({ ...stored, [address]: { token: token.toString('hex'), state: 'proven' } })),
        TE.map(() => undefined),
      ),
    drop: (address, token) =>
      pipe(
        update((stored) => {
          const { [address]: entry, ...others } = stored;
          return entry?.state === 'pending' && entry.token === token.toString('hex') ? others : stored;
        }),
        TE.map(() => undefined),
      ),
  };
  return pipe(
    update((stored) => stored),
    TE.map(() => store),
  );
};
