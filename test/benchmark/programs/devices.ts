/** Devices that answer a write with the number of notifications in it, and hosts of these devices. */
import { nthAddress } from '../../../simulators/ble/device-address.js';
import { createPeripheral } from '../../../simulators/peripheral/index.js';
import { VirtualSocket, type Air } from '../../../simulators/radio/index.js';
import type { HciSocket } from '../../../src/ble/hci/socket.js';
import { connectAll, openNoble, type Characteristic } from './hosts.js';

const SERVICE = 'ff00';
const CHARACTERISTIC = 'ff01';
/** The usual length for dice and clocks. */
export const VALUE_BYTES = 20;
const VALUE = Buffer.alloc(VALUE_BYTES, 0x5a);
/** The number of requested notifications in a burst. */
const BURST = 50;

/** Sends the number of values that a write requests. */
export const answerTo = (written: Buffer, notify: (value: Buffer) => void): void => {
  for (let left = written[0] ?? 0; left > 0; left--) notify(VALUE);
};

const addDevice = async (air: Air, address: string): Promise<void> => {
  let notify: (value: Buffer) => void = () => undefined;
  const device = createPeripheral({
    socket: new VirtualSocket(air, { address, addressType: 'random' }),
    name: '',
    advertises: [SERVICE],
    services: [
      {
        uuid: SERVICE,
        characteristics: [
          {
            uuid: CHARACTERISTIC,
            properties: ['write', 'notify'],
            onWrite: (value) => {
              queueMicrotask(() => answerTo(value, notify));
              return 0;
            },
            onSubscribe: (send) => (notify = send),
          },
        ],
      },
    ],
  });
  await device.ready;
};

/** Puts devices on the air; resolves with their addresses. */
export const addDevices = async (air: Air, count: number): Promise<readonly string[]> => {
  const addresses = Array.from({ length: count }, (_, index) => nthAddress('D1:CE:00', index + 1));
  for (const address of addresses) await addDevice(air, address);
  return addresses;
};

/** Writes to a device; resolves after its answer and this number of notifications. */
export type Ask = (notifications: number) => Promise<unknown>;

const askOf = async (characteristic: Characteristic | undefined): Promise<Ask> => {
  let due = 0;
  let received: () => void = () => undefined;
  let written: () => void = () => undefined;
  // The servers listen like this.
  characteristic?._noble._peripherals[characteristic._peripheralId]?.on('handleNotify', () => {
    due -= 1;
    if (due === 0) received();
  });
  await characteristic?.subscribeAsync();
  characteristic?.on('write', () => written());
  return (notifications) => {
    due = notifications;
    const all = notifications === 0 ? undefined : new Promise<void>((resolve) => (received = resolve));
    const answered = new Promise<void>((resolve) => (written = resolve));
    characteristic?.write(Buffer.of(notifications), false);
    return answered.then(() => all);
  };
};

/** A host on `socket`, connected to devices. */
export const connectDevices = async (
  socket: HciSocket,
  addresses: readonly string[],
): Promise<readonly Ask[]> => {
  const connected = await connectAll(await openNoble(socket), addresses);
  return Promise.all([...connected.values()].map((device) => askOf(device.get(CHARACTERISTIC))));
};

/** Sends `times` requests in all, to all devices at the same time: for round trips, or for bursts of notifications. */
export const loadAll = async (devices: readonly Ask[], what: unknown, times: number): Promise<object> => {
  const each = Math.ceil(times / devices.length);
  const notifications = what === 'notifications' ? BURST : 0;
  await Promise.all(
    devices.map(async (ask) => {
      for (let done = 0; done < each; done++) await ask(notifications);
    }),
  );
  return {};
};
