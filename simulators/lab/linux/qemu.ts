import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { access, constants, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from './cache.js';
import { packaged } from './packages.js';
import { execute, findProgram, type Execution } from './program.js';

export type Accelerator = 'kvm' | 'tcg';

/** A QEMU, ready to be run: its program, the first arguments, and its environment. */
export interface Qemu {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Differs between QEMUs, since only the same QEMU can continue from a machine's state. */
  readonly version: string;
}

export interface Machine {
  readonly qemu: Qemu;
  readonly accelerator: Accelerator;
  readonly processors: number;
  readonly kernel: string;
  readonly initramfs: string;
  /** MiB. */
  readonly memory: number;
  /** Lines, networks and folders, as arguments of QEMU. */
  readonly devices: readonly string[];
  /** The file with the state from which the machine continues; undefined: it boots. */
  readonly state?: string | undefined;
}

export type Endpoint =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** Switches off slow steps under emulation: tests of ciphers, clocks and processors. */
const PARAMETERS =
  'console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off no_timer_check random.trust_cpu=on cryptomgr.notests=1';

/** Under emulation, the kernel must measure the processor's clock; on a busy machine, its seconds were too short by two thirds. */
const CLOCK: Readonly<Record<Accelerator, string>> = { kvm: 'tsc=reliable', tcg: 'clocksource=hpet' };

/** A value within an argument, where a single comma would end the value. */
const escaped = (value: string): string => value.replaceAll(',', ',,');

/** A connection to a radio as a character device; each connection is a separate controller. */
export const radioConnection = (id: string, endpoint: Endpoint): readonly string[] => {
  const place =
    endpoint.kind === 'unix'
      ? `path=${escaped(endpoint.path)}`
      : // A line writes byte by byte: without `nodelay` all but the first would wait 40 ms for TCP's acknowledgement.
        `host=${escaped(endpoint.host)},port=${endpoint.port},nodelay=on`;
  return ['-chardev', `socket,id=${id},${place}`];
};

/** A character device without a connection. */
export const noConnection = (id: string): readonly string[] => ['-chardev', `null,id=${id}`];

/** A folder of this machine that the guest can mount by its tag. */
export const folderShare = (tag: string, path: string, isReadOnly: boolean): readonly string[] => {
  const options = `security_model=none,multidevs=remap${isReadOnly ? ',readonly=on' : ''}`;
  return [
    ...['-fsdev', `local,id=${tag},path=${escaped(path)},${options}`],
    ...['-device', `virtio-9p-pci,fsdev=${tag},mount_tag=${tag}`],
  ];
};

export interface Forwarded {
  readonly guest: number;
  readonly host: number;
}

/** QEMU's network, in which the guest is 10.0.2.15 and this machine's loopback 10.0.2.2. */
export const network = (forwarded: readonly Forwarded[]): readonly string[] => {
  const forwards = forwarded.map(({ guest, host }) => `,hostfwd=tcp:127.0.0.1:${host}-10.0.2.15:${guest}`);
  return ['-netdev', `user,id=net${forwards.join('')}`, '-device', 'virtio-net-pci,netdev=net,romfile='];
};

const OWN_PROGRAM = 'usr/bin/qemu-system-x86_64';

/** The folders of the firmware, which runs before the kernel. */
const FIRMWARE = ['usr/share/qemu', 'usr/share/seabios'];

const MODULES = 'usr/lib/x86_64-linux-gnu/qemu';

/** Files of QEMU that `npm run guest` copies, relative to the root of the packages: enough for the machine below. */
export const QEMU_PROGRAMS = [OWN_PROGRAM, 'usr/bin/setpriv', `${MODULES}/accel-tcg-x86_64.so`];
export const QEMU_FILES = [
  ...['kvmvapic.bin', 'linuxboot_dma.bin', 'pvh.bin'].map((name) => `usr/share/qemu/${name}`),
  'usr/share/seabios/bios-256k.bin',
];

/** A QEMU that is killed at any end of its parent. */
const bound = (root: string, qemu: Qemu): Qemu => {
  const setpriv = packaged({ root }, 'usr/bin/setpriv');
  const options = ['-nodefaults', '-no-user-config', '-display', 'none'];
  return {
    ...qemu,
    program: setpriv.program,
    args: [...setpriv.args, '--pdeathsig', 'KILL', qemu.program, ...qemu.args, ...options],
  };
};

/** The QEMU of a root of packages, or of a part of one. */
export const packagedQemu = (root: string): Qemu => {
  const { program, args } = packaged({ root }, OWN_PROGRAM);
  const folders = FIRMWARE.flatMap((folder) => ['-L', join(root, folder)]);
  const env = { ...process.env, QEMU_MODULE_DIR: join(root, MODULES) };
  return bound(root, { program, args: [...args, ...folders], env, version: root });
};

/** Devices and networks that the guest needs, by their names in QEMU's lists. */
const NEEDED = [
  '"virtio-9p-pci"',
  '"virtserialport"',
  '"virtconsole"',
  '"virtio-net-pci"',
  '"vmgenid"',
  'user',
];

/** The QEMU of this machine, if it has all needed devices; `root` as in {@link packagedQemu}. */
export const ownQemu = async (root: string, execution: Execution): Promise<Qemu | undefined> => {
  const program = findProgram('qemu-system-x86_64');
  if (program === undefined) return undefined;
  const { size, mtimeMs } = await stat(program);
  const version = `${program} ${size} ${mtimeMs}`;
  const folder = await cached('qemu', [version, ...NEEDED], async (folder) => {
    const help = (kind: string) => execute(program, ['-machine', 'none', kind, 'help'], execution);
    const all = await Promise.all([help('-device'), help('-netdev')]).catch(() => []);
    await writeFile(
      join(folder, FIT),
      NEEDED.every((name) => all.some((list) => list.split(/[\s,]/).includes(name))) ? 'yes' : 'no',
    );
  });
  const isFit = (await readFile(join(folder, FIT), 'utf8')) === 'yes';
  return isFit ? bound(root, { program, args: [], env: process.env, version }) : undefined;
};

const FIT = 'fit';

const processor = (accelerator: Accelerator): readonly string[] => [
  ...['-machine', 'pc', '-accel', accelerator === 'kvm' ? 'kvm' : 'tcg,thread=multi', '-cpu', 'max'],
];

/** Milliseconds; a probe usually takes less than a second. */
const PROBE_LIMIT = 3_000;

/** KVM if it works: this user may have no access to it, or it may run nothing, as in some virtual machines. */
export const findAccelerator = async (
  { program, args, env }: Qemu,
  signal: AbortSignal,
): Promise<Accelerator> => {
  const isMine = await access('/dev/kvm', constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isMine) return 'tcg';
  // The firmware of the machine prints its name first.
  const firmware = ['-chardev', 'stdio,id=firmware', '-device', 'isa-debugcon,iobase=0x402,chardev=firmware'];
  const probe = spawn(program, [...args, ...processor('kvm'), '-m', '64', ...firmware], {
    env,
    signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_LIMIT)]),
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const works = await new Promise<boolean>((resolve) => {
    probe.stdout.once('data', () => resolve(true));
    probe.once('error', () => resolve(false));
    probe.once('close', () => resolve(false));
  });
  probe.kill('SIGKILL');
  return works ? 'kvm' : 'tcg';
};

/** Starts QEMU; it is killed when `signal` aborts. */
export const startQemu = (
  machine: Machine,
  options: Pick<SpawnOptions, 'stdio' | 'detached'>,
  signal: AbortSignal,
): ChildProcess => {
  const { qemu, accelerator, processors, kernel, initramfs, memory, devices } = machine;
  const { program, args, env } = qemu;
  return spawn(
    program,
    [
      ...args,
      ...processor(accelerator),
      ...['-smp', String(processors), '-m', String(memory), '-no-reboot'],
      ...['-kernel', kernel, '-initrd', initramfs, '-append', `${PARAMETERS} ${CLOCK[accelerator]}`],
      ...devices,
    ],
    { ...options, env, signal, killSignal: 'SIGKILL' },
  );
};
