/** Hosts on noble: as the servers have it, and as it is. */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { HciSocket } from '../../../src/ble/hci/socket.js';
import { requireWithStandIn, withSocket } from '../../../src/ble/hci/stand-in.js';
import type {
  Noble,
  NobleCharacteristic,
  NoblePeripheral,
  NobleService,
} from '../../../src/ble/noble/internals.js';
import { adapterIsUp, loadNoble, startNoble } from '../../../src/ble/noble/noble.js';

/** By UUID. */
export type Characteristics = ReadonlyMap<string, NobleCharacteristic>;

const fail = (message: string, error: unknown): never => {
  throw new Error(message, { cause: error });
};

const poweredOn = (noble: Noble): Promise<void> =>
  new Promise((resolve) => {
    noble.on('stateChange', (state: string) => state === 'poweredOn' && resolve());
  });

/** As the servers have it. */
export const openNoble = async (socket: HciSocket): Promise<Noble> => {
  const noble = loadNoble(socket, { device: undefined, kernel: false }, fail);
  socket.on('up', () => adapterIsUp(noble));
  startNoble(noble);
  await poweredOn(noble);
  return noble;
};

const require = createRequire(import.meta.url);

/** A module of noble or bleno as others load it: with the package `debug`, switched off. */
export const requireAsItIs = (path: string): unknown => {
  process.env['DEBUG'] ??= '';
  return requireWithStandIn(require.resolve(`@abandonware/${path}`));
};

/** As it is, without what the servers mend in it. */
export const openBareNoble = async (socket: HciSocket): Promise<Noble> => {
  process.env['NOBLE_REPORT_ALL_HCI_EVENTS'] = '1';
  const nobleWith = requireAsItIs('noble/with-bindings.js') as (bindings: object) => Noble;
  const Bindings = requireAsItIs('noble/lib/hci-socket/bindings.js') as new (options: object) => object;
  const noble = nobleWith(withSocket(socket, () => new Bindings({})));
  await poweredOn(noble);
  return noble;
};

/** Those with these addresses, once each has advertised. */
const foundBy = async (noble: Noble, addresses: ReadonlySet<string>): Promise<readonly NoblePeripheral[]> => {
  const found = new Map<string, NoblePeripheral>();
  const all = new Promise<void>((resolve) => {
    noble.on('discover', (peripheral: NoblePeripheral) => {
      const address = peripheral.address.toUpperCase();
      if (addresses.has(address)) found.set(address, peripheral);
      if (found.size === addresses.size) resolve();
    });
  });
  noble.startScanning([], false);
  await all;
  noble.removeAllListeners('discover');
  const stopped = once(noble, 'scanStop');
  noble.stopScanning();
  await stopped;
  return [...found.values()];
};

const characteristicsOf = async (peripheral: NoblePeripheral): Promise<Characteristics> => {
  const connected = once(peripheral, 'connect');
  peripheral.connect({ timeout: 400 });
  const [error] = (await connected) as [unknown];
  if (error instanceof Error) throw error;
  const discovered = once(peripheral, 'servicesDiscover');
  peripheral.discoverServices([]);
  const [services] = (await discovered) as [readonly NobleService[]];
  const characteristics = new Map<string, NobleCharacteristic>();
  for (const service of services) {
    const listed = once(service, 'characteristicsDiscover');
    service.discoverCharacteristics([]);
    const [own] = (await listed) as [readonly NobleCharacteristic[]];
    for (const characteristic of own) characteristics.set(characteristic.uuid, characteristic);
  }
  return characteristics;
};

/** Connects them one after another. */
export const connectAll = async (
  noble: Noble,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Characteristics>> => {
  const connected = new Map<string, Characteristics>();
  for (const peripheral of await foundBy(noble, new Set(addresses)))
    connected.set(peripheral.address.toUpperCase(), await characteristicsOf(peripheral));
  return connected;
};

export const subscribe = async (
  characteristic: NobleCharacteristic | undefined,
  listener: (value: Buffer) => void,
): Promise<void> => {
  if (characteristic === undefined) throw new Error('there is no such characteristic');
  const subscribed = once(characteristic, 'notify');
  characteristic.on('data', listener);
  characteristic.notify(true);
  await subscribed;
};
