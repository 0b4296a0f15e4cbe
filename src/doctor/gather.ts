/** Gathers the facts of this machine. Facts that cannot be read are left out, never guessed. */
import { existsSync, readFileSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { listBluezAdapters } from '../ble/bluez/index.js';
import { listAdapters } from '../ble/hci/adapters.js';
import { firstLineOf, loadingAdvice } from '../ble/hci/advice.js';
import { NativeSocket } from '../ble/hci/native-socket.js';
import { vhciAccess } from '../ble/hci/vhci.js';
import { airbenchAt } from '../system/neighbour.js';
import { listenOnce } from '../system/system-error.js';
import type { AdapterFacts, Facts, LinuxFacts, NativeFacts, PortFacts, SocketOwner } from './facts.js';

const CLASS = '/sys/class/bluetooth';

/** The system bus, unless the environment names another one. */
const BUS = '/run/dbus/system_bus_socket';

/** The places of bluetoothd in distributions. */
const BLUETOOTHD = ['/usr/libexec/bluetooth', '/usr/lib/bluetooth', '/usr/sbin'].map(
  (folder) => `${folder}/bluetoothd`,
);

/** Bits in a set of capabilities (capabilities(7), linux/capability.h). */
const CAPABILITIES = { CAP_NET_ADMIN: 12n, CAP_NET_RAW: 13n };

const attempt = <A>(look: () => A, otherwise: A): A => {
  try {
    return look();
  } catch {
    return otherwise;
  }
};

const read = (path: string): string => attempt(() => readFileSync(path, 'utf8'), '');
const list = (path: string): readonly string[] => attempt(() => readdirSync(path), []);
const link = (path: string): string => attempt(() => readlinkSync(path), '');

const blockedBy = (adapter: string): AdapterFacts['blocked'] => {
  const switches = list(`${CLASS}/${adapter}`).filter((name) => /^rfkill\d+$/.test(name));
  const isOn = (kind: string): boolean =>
    switches.some((name) => read(`${CLASS}/${adapter}/${name}/${kind}`).trim() === '1');
  if (isOn('hard')) return 'hard';
  return isOn('soft') ? 'soft' : undefined;
};

/** Whether each adapter of the kernel is up, by number; empty if the kernel cannot be queried. */
const adapterStates = (): ReadonlyMap<number, boolean> =>
  new Map(attempt(listAdapters, []).map(({ device, up }) => [device, up]));

/** Distinguishes a module that cannot be loaded from a system without Bluetooth sockets. */
export const nativeFacts = (open: () => unknown): NativeFacts => {
  try {
    open();
    return { state: 'loaded', socket: undefined };
  } catch (error) {
    const advice = loadingAdvice(error);
    return advice === undefined
      ? { state: 'loaded', socket: firstLineOf(error) }
      : { state: 'failed', ...advice };
  }
};

/** Inodes in `/proc/net/hci`: the sixth column, under a line of headings. */
export const hciInodes = (table: string): readonly string[] =>
  table
    .split('\n')
    .slice(1)
    .flatMap((line) => line.trim().split(/\s+/)[5] ?? [])
    .filter((inode) => /^\d+$/.test(inode) && inode !== '0');

/** Whether a process with this `/proc/PID/status` has a capability. */
export const hasCapability = (status: string, name: keyof typeof CAPABILITIES): boolean => {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  return ((BigInt(`0x${effective}`) >> CAPABILITIES[name]) & 1n) === 1n;
};

const ownersOf = (inodes: readonly string[], pids: readonly string[]) => {
  const targets = new Set(inodes.map((inode) => `socket:[${inode}]`));
  const seen = new Set<string>();
  const owners = pids.flatMap((pid): readonly SocketOwner[] => {
    const sockets = list(`/proc/${pid}/fd`)
      .map((descriptor) => link(`/proc/${pid}/fd/${descriptor}`))
      .filter((target) => targets.has(target));
    sockets.forEach((target) => seen.add(target));
    if (sockets.length === 0 || pid === String(process.pid)) return [];
    return [{ pid: Number(pid), command: read(`/proc/${pid}/comm`).trim() }];
  });
  return { owners, unknown: targets.size - seen.size };
};

const bluetoothdFacts = (pids: readonly string[]): LinuxFacts['bluetoothd'] => {
  if (pids.some((pid) => read(`/proc/${pid}/comm`).trim() === 'bluetoothd')) return 'running';
  return BLUETOOTHD.some(existsSync) ? 'installed' : 'missing';
};

const linuxFacts = async (): Promise<LinuxFacts> => {
  const pids = list('/proc').filter((name) => /^\d+$/.test(name));
  const status = read('/proc/self/status');
  const { owners, unknown } = ownersOf(hciInodes(read('/proc/net/hci')), pids);
  // The folder has links (`hci0:64`) beside the adapters.
  const adapters = list(CLASS).filter((name) => /^hci\d+$/.test(name));
  const states = adapterStates();
  return {
    kernelHasBluetooth: existsSync(CLASS),
    adapters: adapters.map((name) => ({
      name,
      up: states.get(Number(name.slice(3))),
      blocked: blockedBy(name),
    })),
    native: nativeFacts(() => new NativeSocket()),
    mayUseRawSockets: hasCapability(status, 'CAP_NET_RAW'),
    mayTakeAdapters: hasCapability(status, 'CAP_NET_ADMIN'),
    vhci: vhciAccess(),
    inContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    bus: process.env['DBUS_SYSTEM_BUS_ADDRESS'] !== undefined || existsSync(BUS),
    bluetoothd: bluetoothdFacts(pids),
    bluez: await listBluezAdapters(),
    socketOwners: owners,
    unknownOwners: unknown,
  };
};

/** Whether a server could listen on this port of every address. */
export const isFree = async (port: number): Promise<boolean> =>
  (await listenOnce('0.0.0.0', port)) === undefined;

const portFacts = async (facts: Omit<PortFacts, 'free'>): Promise<PortFacts> =>
  (await isFree(facts.port))
    ? { ...facts, free: true }
    : { ...facts, free: false, airbench: await airbenchAt(`http://127.0.0.1:${facts.port}`) };

/** Gathers all facts; `ports`: the ports of servers. */
export const gatherFacts = async (ports: readonly Omit<PortFacts, 'free'>[]): Promise<Facts> => ({
  platform: process.platform,
  nodeVersion: process.versions.node,
  nodePath: realpathSync(process.execPath),
  ports: await Promise.all(ports.map(portFacts)),
  linux: process.platform === 'linux' ? await linuxFacts() : undefined,
});
