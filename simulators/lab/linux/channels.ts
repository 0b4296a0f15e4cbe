/** Connections between a guest and this process: console, control, streams of the command. */
import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { quoted } from './command-script.js';
import { noConnection, startQemu, type Machine } from './qemu.js';

/** Each channel is a socket between QEMU and this process. */
export const CHANNELS = ['console', 'control', 'stdin', 'stdout', 'stderr'] as const;
export type Channel = (typeof CHANNELS)[number];

/** The channel for commands to QEMU, unknown to the guest. */
export const MONITOR = 'monitor';

const FIRST_DESCRIPTOR = 3;

/** The devices of the channels, as arguments of QEMU; `guest/init` finds the devices by their numbers. */
const DEVICES = [
  ...['-serial', 'chardev:console', '-device', 'virtio-serial-pci'],
  ...['-device', 'virtserialport,chardev=stdin,nr=2'],
  ...['-device', 'virtserialport,chardev=stdout,nr=3'],
  ...['-device', 'virtserialport,chardev=stderr,nr=4'],
  // Last: when the guest knows this device, it knows the others too.
  ...['-device', 'virtserialport,chardev=control,nr=1'],
];

export interface Connected {
  readonly qemu: ChildProcess;
  readonly socket: (name: Channel | typeof MONITOR) => Socket;
}

/** Starts the machine with these channels connected; it is killed when `signal` aborts. */
export const startChannels = (
  machine: Machine,
  names: readonly (Channel | typeof MONITOR)[],
  signal: AbortSignal,
): Connected => {
  const chardevs = CHANNELS.flatMap((name) => (names.includes(name) ? [] : noConnection(name)));
  const sockets = names.flatMap((name, index) => [
    ...['-chardev', `socket,id=${name},fd=${FIRST_DESCRIPTOR + index}`],
  ]);
  const monitor = names.includes(MONITOR) ? ['-mon', `chardev=${MONITOR},mode=control`] : [];
  // A program reads the file: some releases of QEMU cannot read files, others cannot read descriptors.
  const incoming = machine.state === undefined ? [] : ['-incoming', `exec:cat ${quoted(machine.state)}`];
  const qemu = startQemu(
    {
      ...machine,
      devices: [...chardevs, ...sockets, ...monitor, ...incoming, ...DEVICES, ...machine.devices],
    },
    // In another process group, since Ctrl-C is for the command.
    { stdio: ['ignore', 'ignore', 'pipe', ...names.map(() => 'pipe' as const)], detached: true },
    signal,
  );
  return {
    qemu,
    socket: (name) => {
      const stream = qemu.stdio[FIRST_DESCRIPTOR + names.indexOf(name)];
      return stream instanceof Socket ? stream : new Socket();
    },
  };
};
