/** `npm run api-docs`: writes what a walk has received, and the documents with it, into `docs/api`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { examplesOf } from './examples.js';
import { documentFiles, examplesFile, FOLDER, textOf } from './files.js';
import { walk } from './walk.js';

mkdirSync(`${FOLDER}/examples`, { recursive: true });
for (const walked of await walk()) {
  const { contract } = walked;
  const examples = examplesOf(walked);
  const files = { [examplesFile(contract)]: examples, ...documentFiles(contract, examples) };
  for (const [path, value] of Object.entries(files)) writeFileSync(path, await textOf(path, value));
}
