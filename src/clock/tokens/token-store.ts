/**
 * The tokens by which clocks know this server, in one file. A clock binds to the first token that it gets, and only a
 * reset ends that: so a token is stored before a clock gets it, and a stored token survives everything.
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
  /** The token for a clock: the stored token, or a new token, which is stored as pending first. */
  tokenFor(address: Address): TE.TaskEither<DeviceError, Token>;
  /** Stores that a clock has proved to be bound to this token. */
  promote(address: Address, token: Buffer): TE.TaskEither<DeviceError, void>;
  /** Removes a pending token that a clock has refused; a proven token stays. */
  drop(address: Address, token: Buffer): TE.TaskEither<DeviceError, void>;
}

interface TokenStoreOptions {
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

class FileTokenStore implements TokenStore {
  private readonly path: string;
  private readonly updates = new SerialQueue();
  /** Problems of the records, which have been logged. */
  private reported: ReadonlySet<string> = new Set();

  constructor(private readonly options: TokenStoreOptions) {
    this.path = join(options.folder, TOKENS_FILE);
  }

  tokenFor(address: Address): TE.TaskEither<DeviceError, Token> {
    const { time, newToken } = this.options;
    return pipe(
      this.attempt(() => this.read()),
      TE.chain((read) => {
        const storedToken = E.isRight(read) ? tokenOf(read.right, address) : undefined;
        if (storedToken !== undefined) return TE.right(storedToken);
        const fresh = newToken();
        const pending = { token: fresh.toString('hex'), state: 'pending' } as const;
        return pipe(
          this.update((file) =>
            tokenIn(file, address) === undefined ? withToken(file, address, pending, time.date()) : file,
          ),
          TE.map((file) => tokenOf(file, address) ?? { bytes: fresh, proven: false }),
        );
      }),
    );
  }

  promote(address: Address, token: Buffer): TE.TaskEither<DeviceError, void> {
    const proven = { token: token.toString('hex'), state: 'proven' } as const;
    return TE.asUnit(this.update((file) => withToken(file, address, proven, this.options.time.date())));
  }

  drop(address: Address, token: Buffer): TE.TaskEither<DeviceError, void> {
    return TE.asUnit(this.update((file) => withoutPending(file, address, token.toString('hex'))));
  }

  /** Changes the file while no other server does; nothing is written if `change` returns its argument. */
  update(change: (file: StoreFile) => StoreFile): TE.TaskEither<DeviceError, StoreFile> {
    const locked = this.attempt(() =>
      withLock(this.path, this.options.time, async (replace) => {
        const read = await this.read();
        const file = E.isRight(read) ? read.right : await this.keepAside(read.left);
        const changed = change(file);
        if (changed !== file) await replace(writeStore(changed));
        return changed;
      }),
    );
    return () => this.updates.run(locked);
  }

  private attempt<A>(work: () => Promise<A>): TE.TaskEither<DeviceError, A> {
    const { path } = this;
    return TE.tryCatch(work, (thrown) => ({ _tag: 'StoreUnusable', path, reason: systemReason(thrown) }));
  }

  /** Left: the reason why the file is not a token store. Rejects for a store of another version of airbench. */
  private async read(): Promise<E.Either<string, StoreFile>> {
    const text = await readText(this.path);
    if (text === undefined) return E.right(NO_TOKENS);
    const file = readStore(text);
    if (E.isRight(file)) {
      this.warn(file.right);
      return file;
    }
    const { _tag, reason } = file.left;
    if (_tag === 'Unknown') throw new Error(reason);
    return E.left(reason);
  }

  private warn(file: StoreFile): void {
    const { path } = this;
    const { reported } = this;
    const problems = problemsIn(file).map(({ clock: name, reason }) => ({
      name,
      reason,
      text: `${name}: ${reason}`,
    }));
    this.reported = new Set(problems.map(({ text }) => text));
    for (const { name, reason, text } of problems) {
      if (reported.has(text)) continue;
      this.options.log.warn(
        { path, clock: name, reason },
        'a record of the token store should be looked at: it is left as it is',
      );
    }
  }

  private async keepAside(reason: string): Promise<StoreFile> {
    const { path } = this;
    const { time, log } = this.options;
    const aside = `${path}.broken-${time.date().toISOString().replaceAll(':', '-')}`;
    await rename(path, aside);
    log.warn({ path, aside, reason }, 'the token store is broken: it is kept aside, and a new one begins');
    return NO_TOKENS;
  }
}

/** Opens the store in `folder`, which is made if necessary; renames a broken file. Left `StoreUnusable`. */
export const openTokenStore = (options: TokenStoreOptions): TE.TaskEither<DeviceError, TokenStore> => {
  const store = new FileTokenStore(options);
  return pipe(
    store.update((file) => file),
    TE.map(() => store),
  );
};
