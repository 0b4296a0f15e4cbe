/** Devices that answer a write with as many notifications as it says, and hosts of theirs that do nothing else. */
import { nthAddress } from '../../../simulators/address.js';
import { createPeripheral } from '../../../simulators/peripheral/index.js';
import { VirtualSocket, type Air } from '../../../simulators/radio/index.js';
import type { HciSocket } from '../../../src/ble/hci/socket.js';
import type { NobleCharacteristic } from '../../../src/ble/noble/internals.js';
import { connectAll, subscribe, type openNoble } from './noble-hosts.js';

export const SERVICE = 'ff00';
export const CHARACTERISTIC = 'ff01';
/** As long as most are, of dice and clocks. */
export const VALUE_BYTES = 20;
const VALUE = Buffer.alloc(VALUE_BYTES, 0x5a);
/** Notifications that are asked for at a time. */
export const BURST = 50;

export const addresses = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => nthAddress('D1:CE:00', index + 1));

/** The value of a write that asks for notifications. */
export const asking = (notifications: number): Buffer => Buffer.from([notifications]);

/** Its answer, as soon as the write is answered. */
export const answerTo = (written: Buffer, notify: (value: Buffer) => void): void => {
  for (let left = written[0] ?? 0; left > 0; left--) notify(VALUE);
};

export const addDevice = async (air: Air, address: string): Promise<void> => {
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
            onSubscribe: (given) => (notify = given),
          },
        ],
      },
    ],
  });
  await device.ready;
};

/** A device as its host sees it. */
export interface Connected {
  readonly roundTrip: () => Promise<unknown>;
  /** A burst of notifications. */
  readonly notifications: () => Promise<void>;
}

const connectedTo = async (characteristic: NobleCharacteristic | undefined): Promise<Connected> => {
  let due = 0;
  let all: () => void = () => undefined;
  await subscribe(characteristic, () => {
    due -= 1;
    if (due === 0) all();
  });
  let written: () => void = () => undefined;
  characteristic?.on('write', () => written());
  const write = (notifications: number): Promise<void> =>
    new Promise((resolve) => {
      written = resolve;
      characteristic?.write(asking(notifications), false);
    });
  return {
    roundTrip: () => write(0),
    notifications: async () => {
      due = BURST;
      const received = new Promise<void>((resolve) => (all = resolve));
      await write(BURST);
      await received;
    },
  };
};

/** A host that `open` opens on `socket`, connected to devices. */
export const connectDevices = async (
  open: typeof openNoble,
  socket: HciSocket,
  own: readonly string[],
): Promise<readonly Connected[]> => {
  const connected = await connectAll(await open(socket), own);
  return Promise.all([...connected.values()].map((device) => connectedTo(device.get(CHARACTERISTIC))));
};

/** At all devices at the same time, at each one after another, `count` in all. */
export const loadAll = async (
  devices: readonly Connected[],
  what: keyof Connected,
  count: number,
): Promise<void> => {
  const each = Math.ceil(count / devices.length);
  await Promise.all(
    devices.map(async (device) => {
      for (let done = 0; done < each; done++) await device[what]();
    }),
  );
};
