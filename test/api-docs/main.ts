/** `npm run api-docs`: writes examples of what a walk has received, and the lines of the wire. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { asyncApi, NO_EXAMPLES, openApi } from '../../src/api-docs/index.js';
import { examplesOf, examplesText } from './examples.js';
import { walk } from './walk.js';
import { WIRE, wireOf } from './wire.js';

const FOLDER = 'docs/examples/api';

mkdirSync(FOLDER, { recursive: true });
const walks = await walk();
for (const walked of walks)
  writeFileSync(`${FOLDER}/${walked.contract.name}.json`, examplesText(examplesOf(walked)));

writeFileSync(
  WIRE,
  walks
    .flatMap(({ contract }) =>
      wireOf(contract.name, openApi(contract, NO_EXAMPLES), asyncApi(contract, NO_EXAMPLES)),
    )
    .map((line) => `${line}\n`)
    .join(''),
);
