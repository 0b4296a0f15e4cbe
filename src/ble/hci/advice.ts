/** Messages about an adapter of this machine: the problem, and its solution. */
import { codeOf, messageOf } from '../../system/system-error.js';
import type { Problem } from '../problem.js';
import { NATIVE_MODULE } from './native-socket.js';

const NODE_PATH = '"$(readlink -f "$(which node)")"';

/** Lets a program use raw HCI sockets without root, until Node is reinstalled. */
export const SETCAP = `sudo setcap cap_net_raw+eip ${NODE_PATH}`;

/** Also lets the program open the user channel. `node`: the path of Node. */
export const setcapUser = (node = NODE_PATH): string => `sudo setcap cap_net_raw,cap_net_admin+eip ${node}`;

/** Creates `/dev/vhci` until the machine restarts. */
export const LOAD_VHCI = 'sudo modprobe hci_vhci';

/** Lets this user open `/dev/vhci` until the machine restarts. */
export const ALLOW_VHCI = 'sudo chown "$USER" /dev/vhci';

export const firstLineOf = (error: unknown): string => messageOf(error).split('\n')[0] ?? '';

/** Compiles the native module where it is installed. */
const COMPILE = `\`npm rebuild --ignore-scripts=false ${NATIVE_MODULE}\` (it needs Python and a C++ compiler)`;

/** Why the native module cannot be loaded, and what helps; undefined if it can. `error`: the exception. */
export const loadingAdvice = (error: unknown): Required<Problem> | undefined => {
  const reason = firstLineOf(error);
  if (reason.startsWith('Cannot find module')) {
    const what = `the package ${NATIVE_MODULE}, which adapters need, is not installed`;
    return { what, fix: `\`npm install ${NATIVE_MODULE}\`` };
  }
  if (reason.startsWith('No native build was found')) {
    const machine = `${process.platform} ${process.arch}`;
    return { what: `${NATIVE_MODULE}, which adapters need, is not compiled for ${machine}`, fix: COMPILE };
  }
  if (codeOf(error) !== 'ERR_DLOPEN_FAILED') return undefined;
  return { what: `${NATIVE_MODULE}, which adapters need, does not load: ${reason}`, fix: COMPILE };
};

/**
 * Advice for a native module or socket that cannot be opened. `error`: the exception; `otherwise`: the alternative to an
 * adapter.
 */
export const openingAdvice = (error: unknown, name: string, otherwise: string): string => {
  const advice = loadingAdvice(error);
  if (advice !== undefined) return `${advice.what}: run ${advice.fix}, or ${otherwise}`;
  return (
    `no Bluetooth adapter can be opened as ${name} (${firstLineOf(error)}): plug one in, ` +
    `see \`hciconfig -a\`, or ${otherwise}`
  );
};

export const noAdapterAdvice = (otherwise: string): string =>
  openingAdvice('this machine has none', 'default', otherwise);

/** The drawbacks of sharing adapter `hci<device>`, and how to use it exclusively. */
export const sharedAdvice = (device: number): string =>
  `hci${device} is shared with the kernel and with every program that uses it: their scans and connections disturb this ` +
  'server, which needs a restart after the adapter is unplugged. To use it for this server alone, run ' +
  `\`sudo hciconfig hci${device} down\` and start again without --hci, or with --hci user:hci${device}`;

/** Advice for a shared adapter that does not answer. */
export const silentAdvice = (name: string): string =>
  `${name} does not answer: if it is down, run \`sudo hciconfig ${name} up\`; if another program has it to itself, end ` +
  'that program (`sudo npx airbench doctor` names it) or use another adapter';

export const permissionAdvice = (name: string): string =>
  `this user may not use the Bluetooth adapter ${name}: run \`${SETCAP}\`, ` +
  'or give the container the capability NET_ADMIN';

/** An adapter that a program wants to use exclusively. */
interface ExclusiveAdapter {
  readonly device: number;
  /** The name that the user gave. */
  readonly name: string;
  /** Advice for a user whose adapter has to stay up. */
  readonly ifUp: string;
  /** Advice for a user without an adapter. */
  readonly otherwise: string;
}

/** Advice for adapter `hci<device>` that the kernel or another program uses. */
export const upAdvice = (device: number, ifUp: string): string =>
  `hci${device} is up, so that no program can have it to itself: run \`sudo hciconfig hci${device} down\` or ` +
  `\`sudo btmgmt --index ${device} power off\` (if that command reports busy, another program has it to itself: ` +
  `\`sudo npx airbench doctor\` names it), or ${ifUp}`;

/** Advice for a user channel that cannot be opened; `error`: the exception. */
export const userChannelAdvice = (
  error: unknown,
  { device, name, ifUp, otherwise }: ExclusiveAdapter,
): string => {
  switch (codeOf(error)) {
    case 'EBUSY':
    case 'EUSERS':
      return upAdvice(device, ifUp);
    case 'EPERM':
      return (
        `this user may not take the Bluetooth adapter hci${device} for itself: run \`${setcapUser()}\`, ` +
        'or give the service or container the capability NET_ADMIN'
      );
    default:
      return openingAdvice(error, name, otherwise);
  }
};

/** Advice for a `/dev/vhci` that cannot be used; `error`: the exception. */
export const vhciAdvice = (error: unknown): string => {
  if (process.platform !== 'linux') return 'only Linux makes adapters of the kernel';
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENODEV':
    case 'ENXIO':
      return `there is no /dev/vhci, which makes adapters of the kernel: run \`${LOAD_VHCI}\` (in a container, on its host, and start it with --device /dev/vhci)`;
    case 'EACCES':
    case 'EPERM':
      return `this user may not open /dev/vhci, which makes adapters of the kernel: run \`${ALLOW_VHCI}\`, add a udev rule (docs/lab/vhci.md has one), or run as root`;
    default:
      return `/dev/vhci makes no adapter: ${messageOf(error)}`;
  }
};
