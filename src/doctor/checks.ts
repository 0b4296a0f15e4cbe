/** Checks of the facts of a machine, each a line: the state, and its fix. */
import { ALLOW_VHCI, buildCommand, LOAD_VHCI } from '../ble/hci/advice.js';
import type { AdapterFacts, Facts, LinuxFacts, PortFacts } from './facts.js';

/** `fail`: no real device can be served; `warn`: devices can be served, with care. */
export type Level = 'ok' | 'warn' | 'fail';

export interface Check {
  /** The name of the check, for programs. */
  readonly check: string;
  readonly level: Level;
  readonly what: string;
  /** The command or action that helps; null: everything is in order. */
  readonly fix: string | null;
}

/** The oldest Node that works, as in `engines` of package.json. */
const NODE = { major: 20, minor: 19 };

export const ok = (check: string, what: string): Check => ({ check, level: 'ok', what, fix: null });
const trouble =
  (level: 'warn' | 'fail') =>
  (check: string, what: string, fix: string): Check => ({ check, level, what, fix });
export const warn = trouble('warn');
export const fail = trouble('fail');

const nodeCheck = ({ nodeVersion }: Facts): Check => {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const recent = major > NODE.major || (major === NODE.major && minor >= NODE.minor);
  return recent
    ? ok('node', `Node ${nodeVersion}`)
    : fail('node', `Node ${nodeVersion} is too old`, `install Node ${NODE.major}.${NODE.minor} or later`);
};

/** Checks the system: only Linux has the sockets of real adapters. */
const platformCheck = ({ platform }: Facts): Check => {
  if (platform === 'linux') return ok('platform', 'Linux');
  const names: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'macOS', win32: 'Windows' };
  return fail(
    'platform',
    `${names[platform] ?? platform} gives programs no HCI access to its adapter`,
    'serve real devices from Linux, such as a Raspberry Pi; here use `npx airbench rig`, ' +
      'or --hci tcp:HOST:PORT with an H4 stream of another machine',
  );
};

const kernelCheck = ({ kernelHasBluetooth, inContainer }: LinuxFacts): Check => {
  if (kernelHasBluetooth) return ok('kernel', 'the kernel has Bluetooth');
  return fail(
    'kernel',
    'the kernel has no Bluetooth, or has not loaded it',
    inContainer ? '`sudo modprobe bluetooth` on the host of this container' : '`sudo modprobe bluetooth`',
  );
};

const adapterPresenceCheck = ({ adapters }: LinuxFacts): Check =>
  adapters.length > 0
    ? ok('adapter', `adapters: ${adapters.map(({ name }) => name).join(', ')}`)
    : fail(
        'adapter',
        'there is no Bluetooth adapter',
        'plug in a USB adapter, then see `dmesg | grep -i bluetooth`',
      );

const adapterCheck = ({ name, up, blocked }: AdapterFacts): Check => {
  if (blocked === 'hard') {
    return fail(
      name,
      `${name} is blocked by a switch of this machine`,
      'turn the switch or the key for Bluetooth on',
    );
  }
  if (blocked === 'soft')
    return fail(name, `${name} is blocked by rfkill`, '`sudo rfkill unblock bluetooth`');
  if (up === undefined) {
    return warn(name, `it is unknown whether ${name} is up`, 'mend the native module, then ask again');
  }
  return up
    ? warn(
        name,
        `${name} is up: a server shares it with the kernel and other programs, which disturb it`,
        `\`sudo hciconfig ${name} down\`, so that a server has it to itself`,
      )
    : ok(name, `${name} is down: a server, or a virtual device, has it to itself`);
};

const nativeCheck = ({ native, inContainer }: LinuxFacts): Check => {
  switch (native.state) {
    case 'notBuilt':
      return fail(
        'native',
        'the native module for adapters is not built',
        `\`${buildCommand()}\` (it needs Python and a C++ compiler)`,
      );
    case 'failed':
      return fail(
        'native',
        `the native module does not load: ${native.message}`,
        `\`${buildCommand()}\`, with the Node that is to run it`,
      );
    case 'loaded':
      if (native.socket === undefined) return ok('native', 'the native module loads');
      return fail(
        'native',
        `the system gives no Bluetooth socket: ${native.socket}`,
        inContainer
          ? 'run the container in the host’s network: `docker run --net=host …`'
          : '`sudo modprobe bluetooth`',
      );
  }
};

const permissionFix = ({ nodePath }: Facts, { inContainer }: LinuxFacts): string =>
  inContainer
    ? '`docker run --cap-add=NET_RAW --cap-add=NET_ADMIN …`'
    : `\`sudo setcap cap_net_raw,cap_net_admin+eip ${nodePath}\`, or run as root`;

/** Checks the permission to share an adapter; without it, the permission to have an adapter alone is enough if one is down. */
const permissionCheck = (facts: Facts, linux: LinuxFacts): Check => {
  const { mayUseRawSockets, mayTakeAdapters, adapters } = linux;
  if (mayUseRawSockets) return ok('permission', 'this user may share an adapter');
  const isOptional = mayTakeAdapters && adapters.some(({ up }) => up === false);
  return (isOptional ? warn : fail)(
    'permission',
    'this user may not share an adapter that is up, which raw Bluetooth sockets are for',
    permissionFix(facts, linux),
  );
};

/** Checks the permission to have an adapter alone: without it servers must share adapters, and virtual devices have none. */
const ownAdapterCheck = (facts: Facts, linux: LinuxFacts): Check => {
  const { mayTakeAdapters, adapters } = linux;
  if (mayTakeAdapters) return ok('own adapter', 'servers of this user may have an adapter to themselves');
  const allDown = adapters.length > 0 && adapters.every(({ up }) => up === false);
  return (allDown ? fail : warn)(
    'own adapter',
    'servers of this user may not have an adapter to themselves, as they have one that is down, and as --adapter needs',
    permissionFix(facts, linux),
  );
};

const bluetoothdCheck = ({ bluetoothd }: LinuxFacts): Check =>
  bluetoothd
    ? warn(
        'bluetoothd',
        'bluetoothd runs: its scans and connections disturb the servers',
        '`sudo systemctl disable --now bluetooth`, then `sudo hciconfig hci0 down`',
      )
    : ok('bluetoothd', 'bluetoothd does not run');

const usersCheck = ({ socketOwners, unknownOwners, bluetoothd }: LinuxFacts): Check => {
  const [first, ...others] = socketOwners.filter(({ command }) => command !== 'bluetoothd');
  if (first !== undefined) {
    const all = [first, ...others];
    return warn(
      'users',
      `Bluetooth is in use by ${all.map(({ pid, command }) => `${command} (${pid})`).join(', ')}`,
      `end it (\`kill ${all.map(({ pid }) => pid).join(' ')}\`), or keep it on another adapter`,
    );
  }
  // Only root may see the sockets of bluetoothd itself.
  return unknownOwners > 0 && !bluetoothd
    ? warn(
        'users',
        'Bluetooth is in use by a program of another user',
        '`sudo npx airbench doctor` names the program',
      )
    : ok('users', 'nobody else uses Bluetooth');
};

/** Checks virtual adapters, which real devices do not need. */
const vhciCheck = ({ vhci }: LinuxFacts): Check => {
  switch (vhci) {
    case 'allowed':
      return ok('vhci', 'this user may make adapters of the kernel (--vhci)');
    case 'denied':
      return warn(
        'vhci',
        'this user may not make adapters of the kernel, as --vhci does by /dev/vhci',
        `\`${ALLOW_VHCI}\`, or run as root`,
      );
    case 'missing':
      return warn(
        'vhci',
        'there is no /dev/vhci, by which --vhci makes adapters of the kernel',
        `\`${LOAD_VHCI}\``,
      );
  }
};

const portCheck = ({ port, what, free }: PortFacts): Check =>
  free
    ? ok(`port ${port}`, `port ${port} is free for the ${what}`)
    : warn(
        `port ${port}`,
        `port ${port}, which the ${what} takes, is in use`,
        `\`ss -ltnp 'sport = :${port}'\` names the program; or choose another port by its flag`,
      );

/** The checks for servers on proxies alone. */
export const generalChecks = (facts: Facts): readonly Check[] => [
  nodeCheck(facts),
  ...facts.ports.map(portCheck),
];

/** All checks, in the order in which their fixes should be made. */
export const checksOf = (facts: Facts): readonly Check[] => {
  const { linux } = facts;
  return [
    nodeCheck(facts),
    platformCheck(facts),
    ...(linux === undefined
      ? []
      : [
          kernelCheck(linux),
          adapterPresenceCheck(linux),
          ...linux.adapters.map(adapterCheck),
          nativeCheck(linux),
          permissionCheck(facts, linux),
          ownAdapterCheck(facts, linux),
          bluetoothdCheck(linux),
          usersCheck(linux),
          vhciCheck(linux),
        ]),
    ...facts.ports.map(portCheck),
  ];
};

/** One line: `fail  hci0 is down  → `sudo hciconfig hci0 up``. */
export const checkLine = ({ level, what, fix }: Check): string =>
  `${level.padEnd(4)}  ${what}${fix === null ? '' : `  → ${fix}`}`;

/** Whether real devices can be served; of several adapters or proxies one is enough. */
export const isHealthy = (checks: readonly Check[]): boolean => {
  const isAdapter = ({ check }: Check): boolean => /^(?:hci\d+$|proxy )/.test(check);
  const adapters = checks.filter(isAdapter);
  return (
    checks.every((check) => isAdapter(check) || check.level !== 'fail') &&
    (adapters.length === 0 || adapters.some(({ level }) => level !== 'fail'))
  );
};
