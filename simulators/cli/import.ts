import { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { readJson } from '../../src/system/files.js';
import { orRefuse } from '../../src/cli/options/usage.js';
import { printLines } from '../../src/cli/output/print.js';
import { writeDevice } from '../../src/system/yaml.js';

const EXAMPLES = `
Examples:
  npx airbench import device.json device.yaml    as a file for editing
  npx airbench air --devices device.yaml         the device, on a virtual radio`;

/** `airbench import`: converts a device description of another program into a file for `--devices`. */
export const importCommand = (): Command => {
  const command = new Command('import')
    .description(
      'convert a device description of Bumble or nRF Connect for Desktop into a file for --devices',
    )
    .argument(
      '<file>',
      'a device configuration of Bumble, or a saved server setup of nRF Connect for Desktop',
    )
    .argument('<device>', 'the file to write, YAML or JSON by its name')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, path: string) => {
      const { importDevice } = await import('../lab/import/import.js');
      const { decodeSpecs } = await import('../control/index.js');
      const { device, leftOut } = orRefuse(
        command,
        pipe(
          readJson(file),
          E.chain((json) =>
            pipe(
              importDevice(json),
              E.chainFirst((imported) => decodeSpecs([imported.device])),
              E.mapLeft(({ message }) => message),
            ),
          ),
          E.mapLeft((reason) => `${file} cannot be imported: ${reason}`),
        ),
      );
      orRefuse(command, await writeDevice(path, device));
      printLines([
        `${path}  ${device.name}`.trimEnd(),
        ...(leftOut.length === 0 ? [] : [`left out: ${leftOut.join(', ')}`]),
      ]);
    });
  return command;
};
