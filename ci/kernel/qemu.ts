import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { packaged, type Packages } from './packages.js';

export interface Machine {
  readonly packages: Packages;
  readonly kernel: string;
  readonly initramfs: string;
  /** The radio's H4 endpoint, on loopback: each of the guest's adapters is a connection of its own. */
  readonly hciPort: number;
  readonly adapters: number;
  /** Ports of the guest, and where they are reached on loopback. */
  readonly forwarded: readonly { readonly guest: number; readonly host: number }[];
  /** Whether its first line is a shell for a person. */
  readonly shell: boolean;
}

/** MiB: the initramfs twice, packed and unpacked, and two servers. */
const MEMORY = 1024;

/**
 * Starts QEMU under plain software emulation; the guest's first serial line is its standard input and output.
 * It is killed when `signal` aborts.
 */
export const startQemu = (machine: Machine, signal: AbortSignal): ChildProcess => {
  const { packages, kernel, initramfs, hciPort, adapters, forwarded, shell } = machine;
  const { program, args } = packaged(packages, 'usr/bin/qemu-system-x86_64');
  const folders = ['usr/share/qemu', 'usr/share/seabios'].flatMap((folder) => [
    '-L',
    join(packages.root, folder),
  ]);
  const lines = Array.from({ length: adapters }, (_, index) => [
    // A serial line writes byte by byte: without `nodelay` all but the first would wait 40 ms for TCP's acknowledgement.
    ...['-chardev', `socket,id=hci${index},host=127.0.0.1,port=${hciPort},nodelay=on`],
    ...['-serial', `chardev:hci${index}`],
  ]).flat();
  const forwards = forwarded.map(({ guest, host }) => `,hostfwd=tcp:127.0.0.1:${host}-10.0.2.15:${guest}`);
  const commandLine = [
    'console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off tsc=reliable no_timer_check random.trust_cpu=on',
    ...(shell ? ['airbench.shell'] : []),
  ].join(' ');
  return spawn(
    program,
    [
      ...args,
      ...folders,
      ...['-machine', 'pc', '-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', '2', '-m', String(MEMORY)],
      ...['-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'],
      ...['-kernel', kernel, '-initrd', initramfs, '-append', commandLine],
      ...['-serial', shell ? 'mon:stdio' : 'stdio', ...lines],
      ...['-netdev', `user,id=net${forwards.join('')}`, '-device', 'virtio-net-pci,netdev=net,romfile='],
    ],
    {
      env: { ...process.env, QEMU_MODULE_DIR: join(packages.root, 'usr/lib/x86_64-linux-gnu/qemu') },
      signal,
      killSignal: 'SIGKILL',
      stdio: shell ? 'inherit' : ['pipe', 'pipe', 'pipe'],
    },
  );
};

/** Free ports of loopback, each a different one. */
export const freePorts = async (count: number): Promise<readonly number[]> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(
    servers.map((server) => {
      server.close();
      return once(server, 'close');
    }),
  );
  return ports;
};
