/** The guest of `airbench linux`: a root of layers, the current folder, adapters, and one command. */
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { packageFile } from '../system/package.js';
import { cached } from './cache.js';
import { commandScript, quoted } from './command-script.js';
import { cpio } from './cpio.js';
import type { Image } from './image.js';
import type { Execution } from './program.js';
import {
  folderShare,
  network,
  noConnection,
  radioConnection,
  type Accelerator,
  type Endpoint,
  type Machine,
} from './qemu.js';
import { stateOf } from './state.js';

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
  readonly accelerator: Accelerator;
  /** Undefined: as many as are of use. */
  readonly cpus: number | undefined;
  /** MiB: what is written to the root is kept there. */
  readonly memory: number;
  /** Whether it begins as one that has booted, whose state is in the cache; else it boots. */
  readonly isRestored: boolean;
}

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

/** Guests have places for as many, so that they all are of one shape. */
export const MAX_ADAPTERS = 8;
const MAX_LAYERS = 2;

/** What differs from guest to guest: connections, and folders. */
interface Connections {
  readonly radio: Endpoint | undefined;
  readonly adapters: number;
  readonly layers: readonly string[];
  readonly session: string;
  readonly folder: string;
}

/** Of the same shape for all, without regard to how much of it is used: a guest is restored from another one's state. */
const devicesFor = ({ radio, adapters, layers, session, folder }: Connections): readonly string[] => [
  ...Array.from({ length: MAX_ADAPTERS }, (_, index) => [
    ...(radio !== undefined && index < adapters
      ? radioConnection(`hci${index}`, radio)
      : noConnection(`hci${index}`)),
    ...['-device', `virtconsole,chardev=hci${index}`],
  ]).flat(),
  ...Array.from({ length: MAX_LAYERS }, (_, index) =>
    folderShare(`layer${index}`, layers[index] ?? session, true),
  ).flat(),
  ...folderShare('session', session, true),
  ...folderShare('folder', folder, false),
  ...network([]),
  // By it the kernel learns that it is not the first to continue from a state, and makes other random numbers.
  ...['-device', 'vmgenid,guid=auto'],
];

/** The image's archive with what is ours. */
const initramfs = async ({ system }: Image): Promise<string> => {
  const files = ['init', 'bus.conf'].map((path) => ({
    ...{ path, mode: 0o755 },
    content: readFileSync(packageFile(`src/linux/guest/${path}`), 'utf8'),
  }));
  const own = cpio(files);
  const folder = await cached('initramfs', [system, own.toString('latin1')], async (folder) => {
    await writeFile(join(folder, INITRAMFS), Buffer.concat([await readFile(system), own]));
  });
  return join(folder, INITRAMFS);
};

const INITRAMFS = 'initramfs.cpio';

/** Prepares the machine; files for it are written to `scratch`, a folder. */
export const prepareMachine = async (
  guest: Guest,
  scratch: string,
  execution: Execution,
): Promise<Machine> => {
  const { image, folder, command, variables, hasTerminal, accelerator, cpus, memory } = guest;
  const { kernel, qemu } = image;
  const session = join(scratch, 'session');
  const script = commandScript(command, folder, variables, hasTerminal);
  await mkdir(session);
  await writeFile(join(session, 'settings'), settings(guest, hostname()), { mode: 0o600 });
  await writeFile(join(session, 'command'), script, { mode: 0o600 });
  const machine = {
    ...{ qemu, accelerator, kernel, initramfs: await initramfs(image), memory, parameters: [] },
    // Under emulation a second one costs more than it does.
    processors: cpus ?? (accelerator === 'kvm' ? 2 : 1),
  };
  const unconnected = { radio: undefined, adapters: 0, layers: [], session, folder: session };
  return {
    ...machine,
    state: guest.isRestored
      ? await stateOf({ ...machine, devices: devicesFor(unconnected) }, execution)
      : undefined,
    devices: devicesFor({ ...guest, session }),
  };
};
