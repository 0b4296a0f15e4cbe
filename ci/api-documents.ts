/** Writes the API documents of the servers and of the control API, and the schema of device files, for the package. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Components } from '../src/api-docs/components.js';
import { documentsOf } from '../src/api-docs/index.js';
import { contract as clock } from '../src/clock/contract.js';
import { json, named } from '../src/codecs/index.js';
import { contract as dice } from '../src/dice/contract.js';
import { contract as control } from '../simulators/control/contract.js';
import { builtInKinds } from '../simulators/control/kinds.js';
import { specSchema } from '../simulators/control/specs.js';

const FOLDER = 'docs/api';

const write = (name: string, document: object): void =>
  writeFileSync(`${FOLDER}/${name}.json`, `${JSON.stringify(document)}\n`);

mkdirSync(FOLDER, { recursive: true });
for (const contract of [dice, clock, control(builtInKinds)]) {
  const { openapi, asyncapi } = documentsOf(contract, 'optional');
  write(`${contract.name}.openapi`, openapi());
  write(`${contract.name}.asyncapi`, asyncapi());
}

const device = named('Device', 'A device, by its kind', json(specSchema(builtInKinds)));
const components = new Components({ input: [device], output: [], format: 'json-schema' });
const reference = components.input(device);
write('devices.schema', {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  description: 'Devices of airbench, one or an array',
  anyOf: [reference, { type: 'array', items: reference }],
  $defs: components.schemas,
});
