/** Hosts on noble: with the fixes of airbench, like the servers, and without them. */
import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { H4Stream } from '../../../src/ble/hci/h4-stream.js';
import { HostSocket } from '../../../src/ble/hci/host-socket.js';
import type { HciSocket } from '../../../src/ble/hci/socket.js';
import { requireWithStandIn, withSocket } from '../../../src/ble/hci/stand-in.js';
import type { Noble, NoblePeripheral } from '../../../src/ble/noble/internals.js';
import { adapterIsUp, loadNoble, startNoble } from '../../../src/ble/noble/noble.js';
import { systemTime } from '../../../src/async/time.js';

/** Characteristics by UUID. */
export type Characteristics = ReadonlyMap<string, Characteristic>;

export interface Characteristic extends EventEmitter {
  readonly uuid: string;
  readonly _noble: Noble;
  readonly _peripheralId: string;
  write(value: Buffer, withoutResponse: boolean): void;
  subscribeAsync(): Promise<void>;
}

interface AsyncPeripheral extends NoblePeripheral {
  connectAsync(parameters: { timeout: number }): Promise<void>;
  discoverAllServicesAndCharacteristicsAsync(): Promise<{ characteristics: readonly Characteristic[] }>;
}

interface AsyncNoble extends Noble {
  startScanningAsync(): Promise<void>;
  stopScanningAsync(): Promise<void>;
}

const fail = (message: string, error: unknown): never => {
  throw new Error(message, { cause: error });
};

/** H4 at a port of this machine. */
export const hostSocket = (port: string | undefined): HciSocket =>
  new HostSocket(new H4Stream({ kind: 'tcp', host: '127.0.0.1', port: Number(port) }), systemTime);

const poweredOn = (noble: Noble): Promise<AsyncNoble> =>
  new Promise((resolve) => {
    noble.on('stateChange', (state: string) => state === 'poweredOn' && resolve(noble as AsyncNoble));
  });

export const openNoble = (socket: HciSocket): Promise<AsyncNoble> => {
  const noble = loadNoble(socket, { device: undefined, kernel: false }, fail);
  socket.on('up', () => adapterIsUp(noble));
  startNoble(noble);
  return poweredOn(noble);
};

const require = createRequire(import.meta.url);

export const openBareNoble = (socket: HciSocket): Promise<AsyncNoble> => {
  process.env['NOBLE_REPORT_ALL_HCI_EVENTS'] = '1';
  process.env['DEBUG'] ??= '';
  const load = (path: string): unknown =>
    requireWithStandIn(require.resolve(`@abandonware/noble/${path}.js`));
  const nobleWith = load('with-bindings') as (bindings: object) => Noble;
  const Bindings = load('lib/hci-socket/bindings') as new (options: object) => object;
  return poweredOn(nobleWith(withSocket(socket, () => new Bindings({}))));
};

/** Waits for an advertisement of each device, then connects one device after another. */
export const connectAll = async (
  noble: AsyncNoble,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Characteristics>> => {
  const peripherals = new Map<string, AsyncPeripheral>();
  const all = new Promise<void>((resolve) => {
    noble.on('discover', (peripheral: AsyncPeripheral) => {
      const address = peripheral.address.toUpperCase();
      if (addresses.includes(address)) peripherals.set(address, peripheral);
      if (peripherals.size === addresses.length) resolve();
    });
  });
  await noble.startScanningAsync();
  await all;
  noble.removeAllListeners('discover');
  await noble.stopScanningAsync();
  const connected = new Map<string, Characteristics>();
  for (const [address, peripheral] of peripherals) {
    await peripheral.connectAsync({ timeout: 400 });
    const { characteristics } = await peripheral.discoverAllServicesAndCharacteristicsAsync();
    connected.set(address, new Map(characteristics.map((found) => [found.uuid, found])));
  }
  return connected;
};

export const subscribe = async (
  characteristic: Characteristic | undefined,
  listener: (value: Buffer) => void,
): Promise<void> => {
  characteristic?.on('data', listener);
  await characteristic?.subscribeAsync();
};
