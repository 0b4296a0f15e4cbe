/** The guest of `airbench linux`: a root of layers, the current folder, adapters, and one command. */
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { packageFile } from '../system/package.js';
import { commandScript, quoted } from './command-script.js';
import { cpio } from './cpio.js';
import type { Image } from './image.js';
import type { Execution } from './program.js';
import {
  findAccelerator,
  folderShare,
  network,
  radioConnection,
  type Endpoint,
  type Machine,
} from './qemu.js';

export interface Guest {
  readonly image: Image;
  /** Folders that make the root, each over those that follow. */
  readonly layers: readonly string[];
  /** The folder that is there as it is here, to be read and written. */
  readonly folder: string;
  readonly radio: Endpoint;
  readonly adapters: number;
  readonly command: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Whether its stdin and its stdout are a terminal. */
  readonly hasTerminal: boolean;
}

/** MiB: what is written to the root is kept there. */
const MEMORY = 1024;

const guestFile = (name: string): string => readFileSync(packageFile(`src/linux/guest/${name}`), 'utf8');

/** The file that `guest/init` reads. */
export const settings = (
  { layers, folder, adapters, hasTerminal }: Pick<Guest, 'layers' | 'folder' | 'adapters' | 'hasTerminal'>,
  name: string,
): string =>
  Object.entries({
    LAYERS: layers.map((_, index) => `layer${index}`).join(' '),
    FOLDER: folder,
    ADAPTERS: Array.from({ length: adapters }, (_, index) => `hvc${index}`).join(' '),
    NAME: name,
    TERMINAL: hasTerminal ? 'yes' : '',
  })
    .map(([variable, value]) => `${variable}=${quoted(value)}\n`)
    .join('');

/** Prepares the machine; its initramfs is written to `scratch`, a folder. */
export const prepareMachine = async (
  guest: Guest,
  scratch: string,
  execution: Execution,
): Promise<Machine> => {
  const { image, layers, folder, radio, adapters, command, variables } = guest;
  const { kernel, system, qemu } = image;
  const accelerator = await findAccelerator(qemu, execution.signal);
  const own = cpio([
    { path: 'init', mode: 0o755, content: guestFile('init') },
    { path: 'bus.conf', mode: 0o644, content: guestFile('bus.conf') },
  ]);
  const session = join(scratch, 'session');
  await mkdir(session);
  await writeFile(join(session, 'settings'), settings(guest, hostname()), { mode: 0o600 });
  await writeFile(join(session, 'command'), commandScript(command, folder, variables, guest.hasTerminal), {
    mode: 0o600,
  });
  const initramfs = join(scratch, 'initramfs.cpio');
  await writeFile(initramfs, Buffer.concat([await readFile(system), own]), { mode: 0o600 });
  return {
    ...{ qemu, accelerator, kernel, initramfs, memory: MEMORY, parameters: [] },
    // Under emulation a second one costs more than it does.
    processors: accelerator === 'kvm' ? 2 : 1,
    devices: [
      ...Array.from({ length: adapters }, (_, index) => [
        ...radioConnection(`hci${index}`, radio),
        ...['-device', `virtconsole,chardev=hci${index}`],
      ]).flat(),
      ...layers.flatMap((path, index) => folderShare(`layer${index}`, path, true)),
      ...folderShare('session', session, true),
      ...folderShare('folder', folder, false),
      ...network([]),
    ],
  };
};
