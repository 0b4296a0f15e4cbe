/**
 * The configuration of a device of Bumble, as its `Device.from_config_file` reads it (`DeviceConfiguration` and `Device`
 * in bumble/device.py, `Attribute.Permissions` in bumble/att.py, `Characteristic.Properties` in bumble/gatt.py).
 */
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type * as t from 'io-ts';
import * as codecs from '../../../src/codecs/index.js';
import { Uuid } from '../../../src/ble/hci/att.js';
import { completeName, encodeAdvertisingData } from '../../ble/advertising-data.js';
import { ioCapabilities } from '../../smp/index.js';
import { isPropertyName, uuid, type Permission } from '../../devices/described/description/services.js';
import { hexDigits } from '../../devices/described/description/values.js';
import { advertisingFields } from './advertising-fields.js';
import {
  mustAuthenticate,
  servicesField,
  type Imported,
  type ImportedCharacteristic,
  type ImportedService,
} from './imported.js';

/** Bits of `Attribute.Permissions`. */
const PERMISSIONS = {
  READABLE: 0x01,
  WRITEABLE: 0x02,
  READ_REQUIRES_ENCRYPTION: 0x04,
  WRITE_REQUIRES_ENCRYPTION: 0x08,
  READ_REQUIRES_AUTHENTICATION: 0x10,
  WRITE_REQUIRES_AUTHENTICATION: 0x20,
  READ_REQUIRES_AUTHORIZATION: 0x40,
  WRITE_REQUIRES_AUTHORIZATION: 0x80,
} as const;
const ALL_PERMISSIONS = 0xff;

const PROPERTIES = [
  ...['BROADCAST', 'READ', 'WRITE_WITHOUT_RESPONSE', 'WRITE', 'NOTIFY', 'INDICATE'],
  ...['AUTHENTICATED_SIGNED_WRITES', 'EXTENDED_PROPERTIES'],
];

/** A list of `words` with commas or bars between. */
const names = (words: readonly string[]) =>
  codecs.matching(
    `names of ${words.join(', ')}, with commas between`,
    new RegExp(`^(?:${words.join('|')})(?:[,|](?:${words.join('|')}))*$`),
  );
const listed = (input: string): readonly string[] => input.split(/[,|]/);

const permissions = codecs.union(
  [codecs.integer(0, ALL_PERMISSIONS), names(Object.keys(PERMISSIONS))],
  `a whole number from 0 to ${ALL_PERMISSIONS}, or names of ${Object.keys(PERMISSIONS).join(', ')}, with commas between`,
);

const Descriptor = codecs.object({ descriptor_type: uuid, permissions });

const Characteristic = codecs.objectWith(
  { uuid, properties: names(PROPERTIES), permissions },
  { descriptors: codecs.array(Descriptor, 'an array of descriptors') },
);

const Service = codecs.objectWith(
  { uuid },
  { characteristics: codecs.array(Characteristic, 'an array of characteristics') },
);

const interval = codecs.number(20, 10_240);

const fields = {
  name: codecs.text,
  address: codecs.matching(
    'six pairs of hex digits with colons, and /P behind a public one',
    /^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}(?:\/P)?$/,
    (input) => input.toUpperCase(),
  ),
  advertising_interval: interval,
  advertising_interval_min: interval,
  advertising_interval_max: interval,
  advertising_data: hexDigits,
  scan_response_data: hexDigits,
  connectable: codecs.boolean,
  io_capability: codecs.integer(0, Math.max(...Object.values(ioCapabilities))),
  gatt_services: codecs.array(Service, 'an array of services'),
};

export const BumbleDevice = codecs.objectWith({}, fields);

/** Fields that identify a file of Bumble: it has at least one of them, and few other files do. */
export const BUMBLE_FIELDS = Object.keys(fields).filter((name) => name !== 'name');
type BumbleDevice = t.TypeOf<typeof BumbleDevice>;
type Characteristic = t.TypeOf<typeof Characteristic>;

const USUAL_NAME = 'Bumble';
const USUAL_INTERVAL_MS = 1000;

const isPermission = (name: string): name is keyof typeof PERMISSIONS => Object.hasOwn(PERMISSIONS, name);

const bitsOf = (input: number | string): number =>
  typeof input === 'number'
    ? input
    : listed(input).reduce((bits, name) => bits | (isPermission(name) ? PERMISSIONS[name] : 0), 0);

const levels: readonly Permission[] = ['authorised', 'authenticated', 'encrypted'];

/** The permission that an operation needs; Bumble does not check READABLE and WRITEABLE. */
const needed = (operation: 'READ' | 'WRITE', input: number | string): Permission => {
  const bits = bitsOf(input);
  const required = [
    PERMISSIONS[`${operation}_REQUIRES_AUTHORIZATION`],
    PERMISSIONS[`${operation}_REQUIRES_AUTHENTICATION`],
    PERMISSIONS[`${operation}_REQUIRES_ENCRYPTION`],
  ];
  return levels[required.findIndex((bit) => (bits & bit) !== 0)] ?? 'open';
};

const characteristicOf = (input: Characteristic): ImportedCharacteristic => ({
  uuid: input.uuid,
  value: Buffer.alloc(0),
  properties: propertiesOf(input).filter(isPropertyName),
  read: needed('READ', input.permissions),
  write: needed('WRITE', input.permissions),
  subscribe: 'open',
  maxLength: undefined,
  descriptors: (input.descriptors ?? [])
    .filter(({ descriptor_type: type }) => type !== Uuid.configuration)
    .map(({ descriptor_type: type, permissions: allowed }) => ({
      ...{ uuid: type, value: Buffer.alloc(0), read: needed('READ', allowed) },
      write: (bitsOf(allowed) & PERMISSIONS.WRITEABLE) === 0 ? undefined : needed('WRITE', allowed),
    })),
});

const propertiesOf = ({ properties }: Characteristic): readonly string[] =>
  listed(properties).map((name) => name.toLowerCase());

const ioOf = (input: number | undefined, services: readonly ImportedService[]): string => {
  const io = Object.entries(ioCapabilities).find(([, code]) => code === input)?.[0] ?? 'none';
  // Programs of Bumble set the capability in code; without one, no host could authenticate.
  return io === 'none' && mustAuthenticate(services) ? 'display' : io;
};

const advertisingOf = (input: BumbleDevice, name: string): JsonRecord => {
  const { advertising_data: data, scan_response_data: response = '', connectable = true } = input;
  const interval =
    input.advertising_interval ??
    input.advertising_interval_min ??
    input.advertising_interval_max ??
    USUAL_INTERVAL_MS;
  return {
    interval_ms: Math.round(interval),
    ...(!connectable && { connectable }),
    ...advertisingFields(
      data === undefined ? encodeAdvertisingData([completeName(name)]) : Buffer.from(data, 'hex'),
      Buffer.from(response, 'hex'),
      name,
    ),
  };
};

/** Fields of the original that a description does not have. */
const leftOutOf = (original: object, { gatt_services: services = [] }: BumbleDevice): readonly string[] => [
  ...Object.keys(original).filter((name) => !Object.hasOwn(fields, name)),
  ...services.flatMap(({ characteristics = [] }, at) =>
    characteristics.flatMap((characteristic, index) =>
      propertiesOf(characteristic)
        .filter((name) => !isPropertyName(name))
        .map((name) => `gatt_services[${at}].characteristics[${index}].properties ${name.toUpperCase()}`),
    ),
  ),
];

/** `original`: the object before decoding. */
export const importBumble = (input: BumbleDevice, original: object): Imported => {
  const { name = USUAL_NAME, address } = input;
  const services = (input.gatt_services ?? []).map(({ uuid: serviceUuid, characteristics = [] }) => ({
    ...{ uuid: serviceUuid, characteristics: characteristics.map(characteristicOf) },
  }));
  return {
    device: {
      ...{ kind: 'gatt', name },
      ...(address !== undefined && {
        address: address.replace('/P', ''),
        address_type: address.endsWith('/P') ? 'public' : 'random',
      }),
      advertising: advertisingOf(input, name),
      pairing: { io: ioOf(input.io_capability, services), identity_key: true },
      services: servicesField(services),
    },
    leftOut: leftOutOf(original, input),
  };
};
