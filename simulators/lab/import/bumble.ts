/**
 * The configuration of a device of Bumble, as its `Device.from_config_file` reads it (`DeviceConfiguration` and `Device`
 * in bumble/device.py, `Address` in bumble/hci.py, `Attribute.Permissions` in bumble/att.py, `Characteristic.Properties`
 * in bumble/gatt.py).
 */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type * as t from 'io-ts';
import * as codecs from '../../../src/codecs/index.js';
import { Uuid } from '../../../src/ble/hci/att.js';
import {
  MAX_ADVERTISING_DATA,
  advertisedLength,
  decodeAdvertisingData,
  encodeAdvertisingData,
} from '../../ble/advertising-data.js';
import { ioCapabilities } from '../../smp/index.js';
import { deviceName } from '../../devices/described/description/device.js';
import { rpaTimeout } from '../../devices/described/description/pairing.js';
import { isPropertyName, uuid, type Permission } from '../../devices/described/description/services.js';
import { checkedHere } from '../../devices/described/description/shapes.js';
import { hexDigits } from '../../devices/described/description/values.js';
import { advertisingFields } from './advertising-fields.js';
import {
  UNADVERTISED_NAME,
  WHOLE,
  advertisedName,
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

/** Advertising data in hex, of which each structure is whole; zeros may follow. */
const structures = checkedHere(hexDigits, (digits) => {
  const data = Buffer.from(digits, 'hex');
  if (data.length > MAX_ADVERTISING_DATA)
    return `must be at most ${MAX_ADVERTISING_DATA} octets long, got ${data.length}`;
  const rest = data.subarray(advertisedLength(decodeAdvertisingData(data)));
  return rest.every((octet) => octet === 0)
    ? undefined
    : `must be whole AD structures, got ${rest.toString('hex')} behind the last`;
});

/** Fields of Bluetooth LE that a description has too. */
const carried = {
  address: codecs.matching(
    'six pairs of hex digits, with or without colons, and /P behind a public one',
    /^(?:[0-9a-fA-F]{12}|[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5})(?:\/P)?$/,
    (input) => input.toUpperCase(),
  ),
  advertising_interval: interval,
  advertising_interval_min: interval,
  advertising_interval_max: interval,
  advertising_data: structures,
  scan_response_data: structures,
  gatt_services: codecs.array(Service, 'an array of services'),
  // The identity is the address anyway.
  identity_address_type: codecs.integer(0, 1),
  le_enabled: codecs.boolean,
  le_privacy_enabled: codecs.boolean,
  le_rpa_timeout: rpaTimeout,
};

/** Fields of Bluetooth LE that a description does not have. */
const notCarried: readonly string[] = [
  ...['address_generation_offload', 'address_resolution_offload', 'channel_sounding_enabled', 'cis_enabled'],
  ...['eatt_enabled', 'gap_service_enabled', 'gatt_service_enabled', 'irk', 'le_simultaneous_enabled'],
  ...['le_subrate_enabled', 'le_shorter_connection_intervals_enabled', 'smp_debug_mode'],
];

/** Fields of classic Bluetooth: `connectable` and `discoverable` are about its page and inquiry scans. */
const CLASSIC = /^(?:class_of_device|classic_\w+|connectable|discoverable)$/;

const fields = {
  ...{ name: deviceName, ...carried },
  io_capability: codecs.integer(0, Math.max(...Object.values(ioCapabilities))),
};

export const BumbleDevice = codecs.objectWith({}, fields);
type BumbleDevice = t.TypeOf<typeof BumbleDevice>;
type Characteristic = t.TypeOf<typeof Characteristic>;

const isLowEnergy = (name: string): boolean => Object.hasOwn(carried, name) || notCarried.includes(name);

/** Whether a file has a field that identifies it as a file of Bumble; few other files do. */
export const isBumble = (object: object): boolean =>
  Object.keys(object).some(
    (name) => isLowEnergy(name) || CLASSIC.test(name) || name === 'io_capability' || name === 'keystore',
  );

/** Why a configuration has no device of Bluetooth LE. */
const whyClassic = (object: Readonly<Record<string, unknown>>): string | undefined => {
  if (object['le_enabled'] === false) return 'le_enabled is false';
  const names = Object.keys(object);
  const classic = names.find((name) => CLASSIC.test(name));
  return classic === undefined || object['classic_enabled'] === false || names.some(isLowEnergy)
    ? undefined
    : `it has ${classic}, and no field of Bluetooth LE such as address`;
};

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
  const { advertising_data: data = '', scan_response_data: response = '' } = input;
  // The limits of the interval overwrite the interval.
  const interval =
    input.advertising_interval_min ??
    input.advertising_interval ??
    input.advertising_interval_max ??
    USUAL_INTERVAL_MS;
  return {
    interval_ms: Math.round(interval),
    ...advertisingFields(
      data === '' ? encodeAdvertisingData(advertisedName(name)) : Buffer.from(data, 'hex'),
      Buffer.from(response, 'hex'),
      name,
    ),
  };
};

/** Fields of the original that a description does not have. */
const leftOutOf = (
  original: object,
  { name = '', advertising_data: data = '', gatt_services: services = [] }: BumbleDevice,
): readonly string[] => [
  ...Object.keys(original).filter((field) => !Object.hasOwn(fields, field)),
  ...(data === '' && advertisedName(name).length === 0 ? [UNADVERTISED_NAME] : []),
  ...services.flatMap(({ characteristics = [] }, at) =>
    characteristics.flatMap((characteristic, index) =>
      propertiesOf(characteristic)
        .filter((name) => !isPropertyName(name))
        .map((name) => `gatt_services[${at}].characteristics[${index}].properties ${name.toUpperCase()}`),
    ),
  ),
];

const imported = (input: BumbleDevice, original: object): Imported => {
  const { name = USUAL_NAME, address } = input;
  const services = (input.gatt_services ?? []).map(({ uuid: serviceUuid, characteristics = [] }) => ({
    ...{ uuid: serviceUuid, characteristics: characteristics.map(characteristicOf) },
  }));
  return {
    device: {
      ...{ kind: 'gatt', name },
      ...(address !== undefined && {
        address: (address.match(/[0-9A-F]{2}/g) ?? []).join(':'),
        address_type: address.endsWith('/P') ? 'public' : 'random',
      }),
      advertising: advertisingOf(input, name),
      pairing: { io: ioOf(input.io_capability, services), identity_key: true },
      ...(input.le_privacy_enabled === true && {
        privacy: input.le_rpa_timeout === undefined ? {} : { timeout_secs: input.le_rpa_timeout },
      }),
      services: servicesField(services),
    },
    leftOut: leftOutOf(original, input),
  };
};

/** Left: a message about the first invalid field, or that the configuration is for classic Bluetooth alone. */
export const importBumble = (
  object: Readonly<Record<string, unknown>>,
): E.Either<codecs.ParseError, Imported> => {
  const reason = whyClassic(object);
  return reason === undefined
    ? pipe(
        object,
        codecs.decode(BumbleDevice, WHOLE),
        E.map((device) => imported(device, object)),
      )
    : E.left(
        codecs.parseError(
          `${WHOLE} configures Bumble for classic Bluetooth (BR/EDR) alone, but virtual devices are of Bluetooth LE: ${reason}`,
        ),
      );
};
