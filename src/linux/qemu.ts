import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { join } from 'node:path';
import { packaged, type Packages } from './packages.js';

export interface Machine {
  readonly packages: Packages;
  readonly kernel: string;
  readonly initramfs: string;
  /** MiB. */
  readonly memory: number;
  /** Parameters of the kernel, beside those that every guest has. */
  readonly parameters: readonly string[];
  /** Lines, networks and folders, as arguments of QEMU. */
  readonly devices: readonly string[];
}

const PARAMETERS =
  'console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off tsc=reliable no_timer_check random.trust_cpu=on';

/** An adapter of the guest: a serial line on which QEMU connects to the radio's H4 endpoint, which is on loopback. */
export const serialAdapter = (index: number, hciPort: number): readonly string[] => [
  // A serial line writes byte by byte: without `nodelay` all but the first would wait 40 ms for TCP's acknowledgement.
  ...['-chardev', `socket,id=hci${index},host=127.0.0.1,port=${hciPort},nodelay=on`],
  ...['-serial', `chardev:hci${index}`],
];

/** Ports of the guest, and where they are reached on loopback. */
export interface Forwarded {
  readonly guest: number;
  readonly host: number;
}

/** QEMU's own network, in which the guest is 10.0.2.15 and this machine's loopback 10.0.2.2. */
export const network = (forwarded: readonly Forwarded[]): readonly string[] => {
  const forwards = forwarded.map(({ guest, host }) => `,hostfwd=tcp:127.0.0.1:${host}-10.0.2.15:${guest}`);
  return ['-netdev', `user,id=net${forwards.join('')}`, '-device', 'virtio-net-pci,netdev=net,romfile='];
};

/** Starts QEMU under plain software emulation; it is killed when `signal` aborts. */
export const startQemu = (machine: Machine, stdio: StdioOptions, signal: AbortSignal): ChildProcess => {
  const { packages, kernel, initramfs, memory, parameters, devices } = machine;
  const { program, args } = packaged(packages, 'usr/bin/qemu-system-x86_64');
  const folders = ['usr/share/qemu', 'usr/share/seabios'].flatMap((folder) => [
    '-L',
    join(packages.root, folder),
  ]);
  return spawn(
    program,
    [
      ...args,
      ...folders,
      ...['-machine', 'pc', '-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', '2', '-m', String(memory)],
      ...['-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'],
      ...['-kernel', kernel, '-initrd', initramfs, '-append', [PARAMETERS, ...parameters].join(' ')],
      ...devices,
    ],
    {
      env: { ...process.env, QEMU_MODULE_DIR: join(packages.root, 'usr/lib/x86_64-linux-gnu/qemu') },
      signal,
      killSignal: 'SIGKILL',
      stdio,
    },
  );
};
