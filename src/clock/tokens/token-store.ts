/**
 * The tokens by which clocks know this server, in one file. A clock binds to the first token it is shown, and there is
 * no way back but a reset: so a token is stored before a clock sees it, and what is stored survives everything.
 */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { DeviceError } from '../../devices/device-error.js';
import type { Address } from '../../ble/ports.js';
import { systemReason } from '../../system/system-error.js';
import type { TimeSource } from '../../async/time.js';
import { SerialQueue } from '../../async/tasks.js';
import { readText, withLock } from './token-file.js';
import {
  problemsIn,
  NO_TOKENS,
  readStore,
  tokenIn,
  withoutPending,
  withToken,
  writeStore,
  type StoreFile,
} from './token-records.js';

export const TOKENS_FILE = 'tokens.json';

export interface Token {
  /** 16 bytes. */
  readonly bytes: Buffer;
  readonly proven: boolean;
}

export interface TokenStore {
  /** The token for a clock: the stored one, or a new one that is stored as pending by then. */
  readonly tokenFor: (address: Address) => TE.TaskEither<DeviceError, Token>;
  /** The clock has just proved that it is bound to this token. */
  readonly promote: (address: Address, token: Buffer) => TE.TaskEither<DeviceError, void>;
  /** The clock has refused this token. Nothing happens to a proven one. */
  readonly drop: (address: Address, token: Buffer) => TE.TaskEither<DeviceError, void>;
}

export interface TokenStoreOptions {
  readonly folder: string;
  readonly time: TimeSource;
  readonly log: Logger;
  /** 16 unguessable bytes. */
  readonly newToken: () => Buffer;
}

const tokenOf = (file: StoreFile, address: Address): Token | undefined => {
  const stored = tokenIn(file, address);
  return stored && { bytes: Buffer.from(stored.token, 'hex'), proven: stored.state === 'proven' };
};

/** Opens the store in `folder`, which is made if need be; a broken file is renamed. Left `StoreUnusable`. */
export const openTokenStore = ({
  folder,
  time,
  log,
  newToken,
}: TokenStoreOptions): TE.TaskEither<DeviceError, TokenStore> => {
  const path = join(folder, TOKENS_FILE);
  const updates = new SerialQueue();
  /** Each is logged once. */
  const reported = new Set<string>();

  const attempt = <A>(work: () => Promise<A>): TE.TaskEither<DeviceError, A> =>
    TE.tryCatch(work, (thrown) => ({ _tag: 'StoreUnusable', path, reason: systemReason(thrown) }));

  const warn = (file: StoreFile): void => {
    for (const { clock: name, reason } of problemsIn(file)) {
      const problem = `${name}: ${reason}`;
      if (reported.has(problem)) continue;
      reported.add(problem);
      log.warn(
        { path, clock: name, reason },
        'a record of the token store should be looked at: it is left as it is',
      );
    }
  };

  /** Left: why it is no token store. One that this airbench does not know is left alone. */
  const read = async (): Promise<E.Either<string, StoreFile>> => {
    const text = await readText(path);
    if (text === undefined) return E.right(NO_TOKENS);
    const found = readStore(text);
    if (E.isRight(found)) {
      warn(found.right);
      return found;
    }
    const { _tag, reason } = found.left;
    if (_tag === 'Unknown') throw new Error(reason);
    return E.left(reason);
  };

  const keepAside = async (reason: string): Promise<StoreFile> => {
    const aside = `${path}.broken-${time.date().toISOString().replaceAll(':', '-')}`;
    await rename(path, aside);
    log.warn({ path, aside, reason }, 'the token store is broken: it is kept aside, and a new one begins');
    return NO_TOKENS;
  };

  /** Reads, changes and writes while no other server does; `change` returns what it was given to leave it. */
  const update = (change: (file: StoreFile) => StoreFile): TE.TaskEither<DeviceError, StoreFile> => {
    const locked = attempt(() =>
      withLock(path, time, async (replace) => {
        const found = await read();
        const file = E.isRight(found) ? found.right : await keepAside(found.left);
        const changed = change(file);
        if (changed !== file) await replace(writeStore(changed));
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
          const known = E.isRight(found) ? tokenOf(found.right, address) : undefined;
          if (known !== undefined) return TE.right(known);
          const fresh = newToken();
          const pending = { token: fresh.toString('hex'), state: 'pending' } as const;
          return pipe(
            update((file) =>
              tokenIn(file, address) === undefined ? withToken(file, address, pending, time.date()) : file,
            ),
            TE.map((file) => tokenOf(file, address) ?? { bytes: fresh, proven: false }),
          );
        }),
      ),
    promote: (address, token) =>
      pipe(
        update((file) =>
          withToken(file, address, { token: token.toString('hex'), state: 'proven' }, time.date()),
        ),
        TE.map(() => undefined),
      ),
    drop: (address, token) =>
      pipe(
        update((file) => withoutPending(file, address, token.toString('hex'))),
        TE.map(() => undefined),
      ),
  };
  return pipe(
    update((file) => file),
    TE.map(() => store),
  );
};
