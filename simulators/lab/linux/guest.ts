/** The guest of `airbench linux`: a root of layers, the current folder, adapters, and one command. */
import { readFileSync } from 'node:fs';
import { appendFile, chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { packageFile } from '../../../src/system/package.js';
import { cached } from './cache.js';
import { commandScript, quoted } from './command-script.js';
import type { Image } from './image.js';
import { archive, place } from './initramfs.js';
import type { Execution } from './program.js';
import {
  folderShare,
  network,
  noConnection,
  radioConnection,
  type Accelerator,
  type Endpoint,
  type Forwarded,
  type Machine,
} from './qemu.js';
import { stateOf } from './state.js';

export interface Guest {
  readonly image: Image;
  /** The folders of the root, each over the next one. */
  readonly layers: readonly string[];
  /** The folder that the guest shares with this machine, writable, at the same path. */
  readonly folder: string;
  readonly radio: Endpoint;
  readonly adapters: number;
  readonly command: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly hasTerminal: boolean;
  readonly forwarded: readonly Forwarded[];
  readonly accelerator: Accelerator;
  /** Undefined: the best number for the accelerator. */
  readonly cpus: number | undefined;
  /** MiB, including changes to the root. */
  readonly memory: number;
  /** Whether the guest continues from the state of a booted guest in the cache; else it boots. */
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

/** Each guest has places for this many adapters, so that all guests have the same devices. */
export const MAX_ADAPTERS = 8;
const MAX_LAYERS = 2;

interface Connections {
  readonly radio: Endpoint | undefined;
  readonly adapters: number;
  readonly layers: readonly string[];
  readonly session: string;
  readonly folder: string;
  readonly forwarded: readonly Forwarded[];
}

/** The devices of all guests, used or not: a guest continues from the state of another guest. */
const devicesFor = ({
  radio,
  adapters,
  layers,
  session,
  folder,
  forwarded,
}: Connections): readonly string[] => [
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
  ...network(forwarded),
  // Tells the kernel of a copied state to reseed its random numbers.
  ...['-device', 'vmgenid,guid=auto'],
];

/** The scripts of the guest, at the root of its system. */
const SCRIPTS = ['init', 'bus.conf'].map((name) => packageFile(`simulators/lab/linux/guest/${name}`));

/** The archive of the image, followed by an archive of the scripts. */
const initramfs = async ({ system, busybox }: Image, execution: Execution): Promise<string> => {
  const texts = SCRIPTS.map((path) => readFileSync(path, 'utf8'));
  const folder = await cached('initramfs', [system, ...texts], async (folder) => {
    const tree = join(folder, 'tree');
    for (const path of SCRIPTS) await place(path, join(tree, basename(path)));
    await chmod(join(tree, 'init'), 0o755);
    await archive(busybox, tree, join(folder, SCRIPTS_ARCHIVE), execution);
    await copyFile(system, join(folder, INITRAMFS));
    await appendFile(join(folder, INITRAMFS), await readFile(join(folder, SCRIPTS_ARCHIVE)));
  });
  return join(folder, INITRAMFS);
};

const SCRIPTS_ARCHIVE = 'scripts.cpio';
const INITRAMFS = 'initramfs.cpio';

/** Prepares the machine, with its files in the folder `scratch`. */
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
    ...{ qemu, accelerator, kernel, initramfs: await initramfs(image, execution), memory },
    // Under emulation, a second processor costs more than it gains.
    processors: cpus ?? (accelerator === 'kvm' ? 2 : 1),
  };
  const unconnected = { radio: undefined, adapters: 0, layers: [], session, folder: session, forwarded: [] };
  return {
    ...machine,
    state: guest.isRestored
      ? await stateOf({ ...machine, devices: devicesFor(unconnected) }, execution)
      : undefined,
    devices: devicesFor({ ...guest, session }),
  };
};
