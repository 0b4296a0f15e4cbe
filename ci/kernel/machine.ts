import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Packages } from '../../src/linux/packages.js';
import {
  network,
  packagedQemu,
  radioConnection,
  startQemu,
  type Forwarded,
  type Machine,
} from '../../src/linux/qemu.js';

/** The machine of the kernel run, before it is started. */
export interface KernelMachine extends Pick<Machine, 'kernel' | 'initramfs'> {
  readonly packages: Packages;
  /** The radio's H4 endpoint, on loopback: each of the guest's two adapters is a connection of its own. */
  readonly hciPort: number;
  readonly forwarded: readonly Forwarded[];
  /** Whether its first line is a shell for a person. */
  readonly shell: boolean;
}

/** MiB: the initramfs twice, packed and unpacked, and two servers. */
const MEMORY = 1024;

/** Starts it; the guest's first serial line is its standard input and output. */
export const startMachine = (machine: KernelMachine, signal: AbortSignal): ChildProcess => {
  const { hciPort, forwarded, shell } = machine;
  const lines = ['-serial', shell ? 'mon:stdio' : 'stdio'];
  const adapters = ['hci0', 'hci1'].flatMap((id) => [
    ...radioConnection(id, { kind: 'tcp', host: '127.0.0.1', port: hciPort }),
    ...['-serial', `chardev:${id}`],
  ]);
  const devices = [...lines, ...adapters, ...network(forwarded)];
  const parameters = shell ? ['airbench.shell'] : [];
  return startQemu(
    {
      ...machine,
      qemu: packagedQemu(machine.packages.root),
      accelerator: 'tcg',
      processors: 2,
      memory: MEMORY,
      parameters,
      devices,
    },
    { stdio: shell ? 'inherit' : 'pipe' },
    signal,
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
