/** Checks of the facts of a machine, each a line: the state, and its fix. */
import * as E from 'fp-ts/lib/Either.js';
import { ALLOW_VHCI, LOAD_VHCI } from '../ble/hci/advice.js';
import type { Facts, LinuxFacts, PortFacts } from './facts.js';
import { fail, note, ok, oneOf, reportOf, warn, type Check, type Report } from './report.js';
import { waysOf } from './ways.js';

/** The oldest Node that works, as in `engines` of package.json. */
const NODE = { major: 20, minor: 19 };

const DICE_PORT = 3000;

const PROXY = '`npx airbench dice --proxy auto`';

const nodeCheck = ({ nodeVersion }: Facts): Check => {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const recent = major > NODE.major || (major === NODE.major && minor >= NODE.minor);
  return recent
    ? ok('node', `Node ${nodeVersion}`)
    : fail('node', `Node ${nodeVersion} is too old`, `install Node ${NODE.major}.${NODE.minor} or later`);
};

/** Checks the system: only Linux lets programs use its adapters. */
const platformCheck = ({ platform }: Facts): Check => {
  if (platform === 'linux') return ok('platform', 'Linux');
  const names: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'macOS', win32: 'Windows' };
  return fail(
    'platform',
    `airbench cannot use the adapter of ${names[platform] ?? platform}`,
    `${PROXY} with a Bluetooth proxy of ESPHome; or use Linux, such as a Raspberry Pi; or \`npx airbench rig\`, which is virtual`,
  );
};

/** Checks that there is an adapter, whichever way leads to it. */
const adapterCheck = (linux: LinuxFacts): Check => {
  const { adapters, kernelHasBluetooth, bluez } = linux;
  const ofBluez = E.isRight(bluez) ? bluez.right.map(({ name }) => name) : [];
  const names = [...new Set([...adapters.map(({ name }) => name), ...ofBluez])];
  if (names.length === 0)
    return fail(
      'adapter',
      kernelHasBluetooth
        ? 'there is no Bluetooth adapter'
        : 'there is no Bluetooth adapter: the kernel has no Bluetooth, or has not loaded it',
      `plug in a USB adapter (\`sudo dmesg | grep -i bluetooth\` shows it), or use a Bluetooth proxy of ESPHome: ${PROXY}`,
    );
  const blocked = adapters.filter((adapter) => adapter.blocked !== undefined);
  if (blocked.length < names.length) {
    const isBlocked = (name: string): boolean => blocked.some((adapter) => adapter.name === name);
    return ok(
      'adapter',
      `adapter: ${names.map((name) => (isBlocked(name) ? `${name} (blocked)` : name)).join(', ')}`,
    );
  }
  const are = `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} blocked by`;
  return blocked.some((adapter) => adapter.blocked === 'soft')
    ? fail('adapter', `${are} rfkill`, '`sudo rfkill unblock bluetooth`')
    : fail('adapter', `${are} a switch of this machine`, 'turn the switch or the key for Bluetooth on');
};

const usersCheck = ({ socketOwners, unknownOwners, bluetoothd, bluez }: LinuxFacts): Check => {
  const [first, ...others] = socketOwners.filter(({ command }) => command !== 'bluetoothd');
  if (first !== undefined) {
    const all = [first, ...others];
    return warn(
      'users',
      `Bluetooth is in use by ${all.map(({ pid, command }) => `${command} (${pid})`).join(', ')}`,
      `end it (\`kill ${all.map(({ pid }) => pid).join(' ')}\`), or keep it on another adapter`,
    );
  }
  if (unknownOwners === 0)
    return ok(
      'users',
      bluetoothd === 'running' ? 'only bluetoothd uses Bluetooth' : 'no other program uses Bluetooth',
    );
  // Only root may see the sockets of bluetoothd, which may run outside of this container.
  return bluetoothd === 'running' || E.isRight(bluez)
    ? ok('users', 'no other program of this user uses Bluetooth')
    : warn(
        'users',
        'Bluetooth is in use by a program of another user',
        '`sudo npx airbench doctor` names the program',
      );
};

/** Checks virtual adapters, which real devices do not need. */
const vhciCheck = ({ vhci }: LinuxFacts): Check => {
  switch (vhci) {
    case 'allowed':
      return ok('vhci', 'this user may make virtual adapters of the kernel (--vhci)');
    case 'denied':
      return note(
        'vhci',
        'this user may not make virtual adapters of the kernel (--vhci)',
        `\`${ALLOW_VHCI}\`, or run as root`,
      );
    case 'missing':
      return note('vhci', 'there is no /dev/vhci, for virtual adapters (--vhci)', `\`${LOAD_VHCI}\``);
  }
};

const openPage = (port: number): string => `open http://localhost:${port}/`;

const portCheck = ({ port, what, free, airbench }: PortFacts): Check => {
  const check = `port ${port}`;
  if (free) return ok(check, `port ${port} is free for the ${what}`);
  return airbench === undefined
    ? warn(
        check,
        `port ${port}, which the ${what} takes, is in use`,
        `\`ss -ltnp 'sport = :${port}'\` names the program; or choose another port by its flag`,
      )
    : note(check, `a ${airbench} of airbench runs on port ${port}`, openPage(port));
};

/** The command of a dice server with these flags, on a port that is free; or what to do with the one that runs. */
const serve = ({ ports }: Facts, flags: string): string => {
  const dice = ports.find(({ what }) => what === 'dice server');
  if (dice?.airbench === 'dice server') return openPage(dice.port);
  const port = dice?.free === false ? 0 : (dice?.port ?? DICE_PORT);
  return `npx airbench dice${flags}${port === DICE_PORT ? '' : ` --port ${port}`}`;
};

/** The report on proxies, of which one is enough; `flags`: the flags of a server on them. */
export const proxiesReport = (
  facts: Facts,
  proxies: readonly (readonly Check[])[],
  flags: string,
): Report => {
  const reachable = oneOf(
    proxies.flatMap(([proxy]) => proxy ?? []),
    'warn',
  );
  const checks = proxies.flatMap(([, ...others], n) => [...reachable.slice(n, n + 1), ...others]);
  return reportOf([nodeCheck(facts), ...checks, ...facts.ports.map(portCheck)], serve(facts, flags));
};

/** The report on this machine, with the checks in the order in which their fixes should be made. */
export const machineReport = (facts: Facts): Report => {
  const { linux } = facts;
  const ways = linux === undefined ? [] : waysOf(facts, linux);
  const open = ways.find(({ check }) => check.level === 'ok');
  const checks = [
    nodeCheck(facts),
    platformCheck(facts),
    ...(linux === undefined ? [] : [adapterCheck(linux)]),
    ...oneOf(
      ways.map(({ check }) => check),
      'note',
    ),
    ...(linux === undefined ? [] : [usersCheck(linux), vhciCheck(linux)]),
    ...facts.ports.map(portCheck),
  ];
  return reportOf(checks, serve(facts, open?.flags ?? ''));
};
