/**
 * The server setup that the Bluetooth Low Energy app of nRF Connect for Desktop saves as JSON (lib/utils/api.js and
 * lib/actions/serverSetupActions.js of pc-nrfconnect-ble 3.0.1): services, characteristics and descriptors by instance ids.
 */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import * as codecs from '../../../src/codecs/index.js';
import { GenericUuid, LONGEST_VALUE, Uuid } from '../../../src/ble/hci/att.js';
import { deviceName } from '../../devices/described/description/device.js';
import { uuid, type Permission, type PropertyName } from '../../devices/described/description/services.js';
import { checkedHere } from '../../devices/described/description/shapes.js';
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

/** The permissions of the app; undefined: no host may do so. */
const PERMISSIONS: Readonly<Record<string, Permission | undefined>> = {
  open: 'open',
  encrypt: 'encrypted',
  'encrypt mitm-protection': 'authenticated',
  lesc: 'authenticated',
  signed: 'encrypted',
  'signed mitm-protection': 'authenticated',
  no_access: undefined,
};

/** The properties of the app, with the names before 2.0. */
const PROPERTIES: ReadonlyMap<string, PropertyName> = new Map([
  ['read', 'read'],
  ['write', 'write'],
  ['writeWoResp', 'write_without_response'],
  ['write_wo_resp', 'write_without_response'],
  ['notify', 'notify'],
  ['indicate', 'indicate'],
]);

/** Server Characteristic Configuration, of broadcasts. */
const SERVER_CONFIGURATION = '2903';

/** Attributes by their instance ids, in order. */
const byInstance = <C extends codecs.AnyCodec>(codec: C) =>
  codecs.described(t.record(t.string, codec, 'an object of attributes by their instance ids'), {
    type: 'object',
    additionalProperties: codec.schema.input,
  });

const octets = checkedHere(codecs.array(codecs.integer(0, 255), 'an array of octets'), ({ length }) =>
  length > LONGEST_VALUE ? `must be at most ${LONGEST_VALUE} octets long, got ${length}` : undefined,
);
const maxLength = codecs.integer(0, LONGEST_VALUE);
const permission = codecs.oneOf(Object.keys(PERMISSIONS));

const Descriptor = codecs.objectWith(
  { uuid },
  { value: octets, readPerm: permission, writePerm: permission, maxLength, fixedLength: codecs.boolean },
);

const Characteristic = codecs.objectWith(
  { uuid },
  {
    properties: codecs.anyObject,
    ...{ value: octets, readPerm: permission, writePerm: permission, maxLength, fixedLength: codecs.boolean },
    children: byInstance(Descriptor),
  },
);
type Characteristic = t.TypeOf<typeof Characteristic>;

const Service = codecs.objectWith({ uuid }, { children: byInstance(Characteristic) });

export const NrfConnectSetup = codecs.object({ children: byInstance(Service) });
type NrfConnectSetup = t.TypeOf<typeof NrfConnectSetup>;

/** The name of a device without a name in its setup. */
const USUAL_NAME = 'nRF Connect';

const propertiesOf = ({ properties = {} }: Characteristic): readonly string[] =>
  Object.keys(properties).filter((name) => properties[name] === true);

const permissionOf = (input = 'open'): Permission | undefined => PERMISSIONS[input];

const characteristicOf = (input: Characteristic): ImportedCharacteristic => {
  const descriptors = Object.values(input.children ?? {});
  const configuration = descriptors.find(({ uuid }) => uuid === Uuid.configuration);
  return {
    uuid: input.uuid,
    value: Buffer.from(input.value ?? []),
    properties: propertiesOf(input).flatMap((name) => PROPERTIES.get(name) ?? []),
    read: permissionOf(input.readPerm),
    write: permissionOf(input.writePerm),
    subscribe: permissionOf(configuration?.writePerm) ?? 'open',
    maxLength: input.maxLength,
    descriptors: descriptors
      .filter((descriptor) => descriptor !== configuration && descriptor.uuid !== SERVER_CONFIGURATION)
      .map(({ uuid, value = [], readPerm, writePerm }) => ({
        ...{ uuid, value: Buffer.from(value) },
        read: permissionOf(readPerm) ?? 'open',
        write: permissionOf(writePerm),
      })),
  };
};

/** Fields that a description does not have; a path consists of instance ids. */
const leftOutOf = ({ children }: NrfConnectSetup): readonly string[] =>
  Object.values(children).flatMap(({ children: characteristics = {} }) =>
    Object.entries(characteristics).flatMap(([id, characteristic]) => [
      ...propertiesOf(characteristic)
        .filter((name) => !PROPERTIES.has(name))
        .map((name) => `${id} properties.${name}`),
      ...(characteristic.fixedLength === true ? [`${id} fixedLength`] : []),
      ...Object.entries(characteristic.children ?? {}).flatMap(([child, { readPerm, fixedLength }]) => [
        ...(readPerm === 'no_access' ? [`${child} readPerm no_access`] : []),
        ...(fixedLength === true ? [`${child} fixedLength`] : []),
      ]),
    ]),
  );

/** Octets as a text; the app fills a value of fixed length with zeros. */
const textOf = (value: Buffer): string => value.toString('utf8').replace(/\0+$/, '');

const imported = (input: NrfConnectSetup): E.Either<codecs.ParseError, Imported> => {
  const services: readonly ImportedService[] = Object.values(input.children).map(
    ({ uuid: serviceUuid, children = {} }) => ({
      ...{ uuid: serviceUuid, characteristics: Object.values(children).map(characteristicOf) },
    }),
  );
  const generic = services.find(({ uuid }) => uuid === GenericUuid.access)?.characteristics ?? [];
  const valueOf = (type: string): Buffer =>
    generic.find(({ uuid }) => uuid === type)?.value ?? Buffer.alloc(0);
  const appearance = valueOf(GenericUuid.appearance);
  return pipe(
    textOf(valueOf(GenericUuid.deviceName)) || USUAL_NAME,
    codecs.decodeField('the value of 2A00', deviceName),
    E.map((name) => ({
      device: {
        ...{ kind: 'gatt', name },
        ...(appearance.length >= 2 && { appearance: appearance.readUInt16LE(0) }),
        ...(advertisedName(name).length === 0 && { advertising: { name: false } }),
        ...(mustAuthenticate(services) && { pairing: { io: 'display' } }),
        services: servicesField(services),
      },
      leftOut: [...(advertisedName(name).length === 0 ? [UNADVERTISED_NAME] : []), ...leftOutOf(input)],
    })),
  );
};

/**
 * The device of a setup; its Generic Access service has its name and its appearance. Left: a message about the first invalid
 * field.
 */
export const importNrfConnect = (object: object): E.Either<codecs.ParseError, Imported> =>
  pipe(object, codecs.decode(NrfConnectSetup, WHOLE), E.chain(imported));
