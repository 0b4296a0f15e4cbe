/** Texts in the storage of the browser. A browser may refuse it: then nothing is stored. */
import * as O from 'fp-ts/lib/Option.js';

type StorageName = 'localStorage' | 'sessionStorage';

export const storedText = (storage: StorageName, key: string): string | null =>
  O.toNullable(O.tryCatch(() => window[storage].getItem(key)));

/** Null removes the text. */
export const storeText = (storage: StorageName, key: string, text: string | null): void => {
  O.tryCatch(() => {
    if (text === null) window[storage].removeItem(key);
    else window[storage].setItem(key, text);
  });
};
