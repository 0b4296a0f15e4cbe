import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Store } from '../../src/store/store.js';
import { otherTurns } from './hci-host.js';

/** A store that tells when it has done everything. */
export const watched = (store: Store) => {
  const pending = new Set<Promise<unknown>>();
  const follow =
    <E, A>(task: TaskEither<E, A>): TaskEither<E, A> =>
    () => {
      const promise = task();
      pending.add(promise);
      void promise.then(() => pending.delete(promise));
      return promise;
    };
  const watchedStore: Store = {
    get state() {
      return store.state;
    },
    write: store.write.bind(store),
    change: (...statements) => follow(store.change(...statements)),
    read: (statement, signal) => follow(store.read(statement, signal)),
    snapshot: (statement) => follow(store.snapshot(statement)),
    onRecovery: store.onRecovery.bind(store),
    close: () => store.close(),
  };
  return Object.assign(watchedStore, {
    /** Resolves when all that was asked is done, with what followed from it. */
    idle: async (): Promise<void> => {
      do {
        await Promise.all(pending);
        await otherTurns();
      } while (pending.size > 0);
    },
  });
};
