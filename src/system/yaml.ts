import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { parseDocument, stringify } from 'yaml';
import { readBytes, readJson } from './files.js';
import { writeFile } from 'node:fs/promises';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { codeOf, systemReason } from './system-error.js';

/** Writes a device into a new file, YAML or JSON by its name. Left: a message. */
export const writeDevice = async (path: string, device: JsonRecord): Promise<E.Either<string, void>> => {
  const text = /\.ya?ml$/i.test(path)
    ? stringify(device, { lineWidth: 0 })
    : `${JSON.stringify(device, null, 2)}\n`;
  try {
    await writeFile(path, text, { flag: 'wx' });
    return E.right(undefined);
  } catch (thrown) {
    const reason = codeOf(thrown) === 'EEXIST' ? 'it already exists' : systemReason(thrown);
    return E.left(`${path} cannot be written: ${reason}`);
  }
};

/** The most nodes that aliases of a file may stand for. */
const MAX_ALIASES = 100;

const parseYaml = (text: string): E.Either<string, unknown> => {
  const file = parseDocument(text);
  const [invalid] = [...file.errors, ...file.warnings];
  if (invalid !== undefined) return E.left(`it is not valid YAML: ${invalid.message}`);
  return E.tryCatch(
    () => file.toJS({ maxAliasCount: MAX_ALIASES }) as unknown,
    (thrown) => `it is not valid YAML: ${String(thrown)}`,
  );
};

/**
 * The value in a file of UTF-8 text: YAML if its name ends in `.yaml` or `.yml`, else JSON.
 * Left: `it cannot be read: …` or `it is not valid …`.
 */
export const readJsonOrYaml = (path: string): E.Either<string, unknown> =>
  /\.ya?ml$/i.test(path)
    ? pipe(
        readBytes(path),
        E.chain((bytes) => parseYaml(bytes.toString('utf8'))),
      )
    : readJson(path);
