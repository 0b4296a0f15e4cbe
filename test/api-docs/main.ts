/** `npm run api-docs`: writes what a walk has received, and the documents with it, into `docs/api`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type { Examples } from '../../src/api-docs/index.js';
import { examplesOf } from './examples.js';
import { documentFiles, examplesFile, FOLDER, schemaFiles, textOf } from './files.js';
import { walk } from './walk.js';

mkdirSync(`${FOLDER}/examples`, { recursive: true });
const write = async (files: Readonly<Record<string, JsonRecord | Examples>>): Promise<void> => {
  for (const [path, value] of Object.entries(files)) writeFileSync(path, await textOf(path, value));
};

await write(schemaFiles);
for (const walked of await walk()) {
  const { contract } = walked;
  const examples = examplesOf(walked);
  await write({ [examplesFile(contract)]: examples, ...documentFiles(contract, examples) });
}
