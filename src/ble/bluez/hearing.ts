/** Advertisements, as BlueZ reports them by the properties of a device. */
import type { TimeSource } from '../../async/time.js';
import { u16 } from '../hci/att.js';
import type { Address, Advertisement } from '../ports.js';
import { isObject, uuidOf, type Values } from './objects.js';

/** The properties that change by a packet; the others stay from earlier packets or from a connection. */
const OF_PACKET = ['RSSI', 'ManufacturerData', 'ServiceData', 'AdvertisingData', 'AdvertisingFlags', 'Name'];

/** Whether a change of these properties is a packet. BlueZ removes the RSSI when discovery stops, and while the device is connected. */
export const isPacket = (changed: Values, now: Values): boolean =>
  typeof now['RSSI'] === 'number' && OF_PACKET.some((name) => name in changed);

const entriesOf = (value: unknown): readonly (readonly [key: string, data: Buffer])[] =>
  Object.entries(isObject(value) ? value : {}).flatMap(([key, data]) =>
    Buffer.isBuffer(data) ? [[key, data] as const] : [],
  );

/** The company id and data of the last packet. BlueZ keeps the data of every company: the entry that differs from `before` is new. */
const manufacturerDataOf = (values: Values, before: Values, last: Buffer | null): Buffer | null => {
  const all = entriesOf(values['ManufacturerData']).map(([company, data]) =>
    Buffer.concat([u16(Number(company)), data]),
  );
  const earlier = entriesOf(before['ManufacturerData']).map(([, data]) => data);
  const isNew = (data: Buffer): boolean => !earlier.some((other) => other.equals(data.subarray(2)));
  return all.find(isNew) ?? all.find((data) => last?.equals(data)) ?? all[0] ?? last;
};

export const advertisementOf = (
  address: Address,
  device: Values,
  before: Values,
  last: Advertisement | undefined,
  time: TimeSource,
): Advertisement => ({
  address,
  name: typeof device['Name'] === 'string' ? device['Name'].replace(/\0+$/, '') : null,
  rssi: typeof device['RSSI'] === 'number' ? device['RSSI'] : null,
  heardAt: time.date(),
  connectable: true,
  serviceUuids: Array.isArray(device['UUIDs']) ? device['UUIDs'].map(uuidOf) : [],
  manufacturerData: manufacturerDataOf(device, before, last?.manufacturerData ?? null),
  serviceData: entriesOf(device['ServiceData']).map(([uuid, data]) => ({ uuid: uuidOf(uuid), data })),
});
