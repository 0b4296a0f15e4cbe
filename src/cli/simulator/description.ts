/** Files for `--devices` that are made of something else. */
import { writeFile } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { stringify } from 'yaml';
import { codeOf, systemReason } from '../../system/system-error.js';

/** Writes a device into a file that must not be there yet, YAML or JSON by its name. Left: a message. */
export const writeDevice = async (path: string, device: JsonRecord): Promise<E.Either<string, void>> => {
  const text = /\.ya?ml$/i.test(path)
    ? stringify(device, { lineWidth: 0 })
    : `${JSON.stringify(device, null, 2)}\n`;
  try {
    await writeFile(path, text, { flag: 'wx' });
    return E.right(undefined);
  } catch (thrown) {
    const reason = codeOf(thrown) === 'EEXIST' ? 'it is there already' : systemReason(thrown);
    return E.left(`${path} cannot be written: ${reason}`);
  }
};
