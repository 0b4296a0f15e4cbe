/** `npm run api-docs` writes the examples of a walk, and the lines of the wire. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { examplesOf, examplesText } from './examples.js';
import { walk } from './walk.js';
import { WIRE, wireLines } from './wire.js';

const FOLDER = 'docs/examples/api';

mkdirSync(FOLDER, { recursive: true });
for (const walked of await walk())
  writeFileSync(`${FOLDER}/${walked.contract.name}.json`, examplesText(examplesOf(walked)));

writeFileSync(WIRE, `${wireLines().join('\n')}\n`);
