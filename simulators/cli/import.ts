import { Command } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Chunks } from '../devices/recorded/captures/capture.js';
import type { Imported } from '../lab/import/imported.js';
import { readBytes, readChunks } from '../../src/system/files.js';
import { orRefuse } from '../../src/cli/options/usage.js';
import { printLines } from '../../src/cli/output/print.js';
import { writeDevice } from '../../src/system/yaml.js';
import { deviceFlag } from './replay.js';

interface Read extends Pick<Imported, 'device'> {
  /** Lines about parts that the device does not have, or that differ. */
  readonly notes: readonly string[];
}

const readDescription = async (file: string): Promise<E.Either<string, Read>> => {
  const { importFile } = await import('../lab/import/import.js');
  return pipe(
    readBytes(file),
    E.chain((bytes) =>
      pipe(
        importFile(bytes),
        E.mapLeft(({ message }) => message),
      ),
    ),
    E.map(({ device, leftOut }) => ({
      device,
      notes: leftOut.length === 0 ? [] : [`left out: ${leftOut.join(', ')}`],
    })),
  );
};

const readCapture = async (chunks: Chunks, address: string | undefined): Promise<E.Either<string, Read>> => {
  const { readRecording } = await import('../devices/recorded/recording.js');
  const { TAKEN } = await import('../devices/recorded/captures/other-files.js');
  const { describeRecording } = await import('../lab/import/recording.js');
  return pipe(
    await readRecording(chunks, address)(),
    E.bimap(
      (reason) =>
        reason.endsWith(TAKEN)
          ? `${reason}, a description is JSON of Bumble or nRF Connect for Desktop`
          : reason,
      (recording) => ({ device: describeRecording(recording), notes: recording.warnings }),
    ),
  );
};

/** The beginning of JSON or XML as latin1 text, also after a byte order mark; a capture has zeros among its first bytes. */
const MARKUP = /^(?:\xef\xbb\xbf)?\s*[[{"<][^\0]*$/;

/** Reads JSON and XML as a description of another program, everything else as a capture. */
const readAny = async (file: string, address: string | undefined): Promise<E.Either<string, Read>> => {
  const chunks = readChunks(file);
  const first = await chunks.next();
  const begun = first.done === true ? E.right(Buffer.alloc(0)) : first.value;
  if (E.isRight(begun) && MARKUP.test(begun.right.toString('latin1', 0, 256))) {
    await chunks.return(undefined);
    return readDescription(file);
  }
  async function* whole(): Chunks & AsyncGenerator<E.Either<string, Buffer>> {
    yield begun;
    yield* chunks;
  }
  return readCapture(whole(), address);
};

const EXAMPLES = `
Examples:
  npx airbench import device.json device.yaml                           as a file for editing
  npx airbench import die.btsnoop die.yaml --device D1:CE:00:00:00:01   one of the devices of a capture
  npx airbench air --devices device.yaml                                the device, on a virtual radio`;

/** `airbench import`: converts a capture, or a device description of another program, into a file for `--devices`. */
export const importCommand = (): Command => {
  const command = new Command('import')
    .description(
      'convert a capture, or a device description of Bumble or nRF Connect for Desktop, into a file for --devices',
    )
    .argument(
      '<file>',
      'a capture as for `airbench replay`, a device configuration of Bumble, or a saved server setup of nRF Connect for Desktop',
    )
    .argument('<device>', 'the file to write, YAML or JSON by its name')
    .addOption(deviceFlag())
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, path: string, flags: { readonly device: string | undefined }) => {
      const { decodeSpecs } = await import('../control/index.js');
      const { device, notes } = orRefuse(
        command,
        pipe(
          await readAny(file, flags.device),
          E.chainFirst((read) =>
            pipe(
              decodeSpecs([read.device]),
              E.mapLeft(({ message }) => message),
            ),
          ),
          E.mapLeft((reason) => `${file} cannot be imported: ${reason}`),
        ),
      );
      orRefuse(command, await writeDevice(path, device));
      printLines([`${path}  ${device.name}`.trimEnd(), ...notes]);
    });
  return command;
};
