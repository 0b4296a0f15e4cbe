/** The files of `docs/api`: what each holds. */
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { format, resolveConfig } from 'prettier';
import { asyncApi, openApi, type Examples } from '../../src/api-docs/index.js';
import { devicesSchema } from '../../simulators/control/specs.js';
import { builtInKinds } from '../../simulators/control/index.js';
import type { Contract } from '../../src/contract/index.js';

export const FOLDER = 'docs/api';

export const examplesFile = ({ name }: Contract): string => `${FOLDER}/examples/${name}.json`;

/** As prettier has it. */
export const textOf = async (path: string, value: JsonRecord | Examples): Promise<string> =>
  format(JSON.stringify(value), { ...(await resolveConfig(path)), filepath: path });

/** The schema of files of devices, for editors. */
export const schemaFiles: Readonly<Record<string, JsonRecord>> = {
  [`${FOLDER}/devices.schema.json`]: devicesSchema(builtInKinds),
};

/** The documents of a contract, by their paths. */
export const documentFiles = (
  contract: Contract,
  examples: Examples,
): Readonly<Record<string, JsonRecord>> => ({
  [`${FOLDER}/${contract.name}.openapi.json`]: openApi(contract, examples),
  [`${FOLDER}/${contract.name}.asyncapi.json`]: asyncApi(contract, examples),
});
