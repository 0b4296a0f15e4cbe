/**
 * The server setup that the Bluetooth Low Energy app of nRF Connect for Desktop saves as JSON (lib/utils/api.js and
 * lib/actions/serverSetupActions.js of pc-nrfconnect-ble 3.0.1): services, characteristics and descriptors by instance ids.
 */
import * as t from 'io-ts';
import * as codecs from '../../../src/codecs/index.js';
import { GenericUuid, LONGEST_VALUE, Uuid } from '../../../src/ble/hci/att.js';
import { uuid, type Permission, type PropertyName } from '../../devices/described/description/services.js';
import {
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
const PROPERTIES: Readonly<Record<string, PropertyName>> = {
  read: 'read',
  write: 'write',
  writeWoResp: 'write_without_response',
  write_wo_resp: 'write_without_response',
  notify: 'notify',
  indicate: 'indicate',
};

/** Server Characteristic Configuration, of broadcasts. */
const SERVER_CONFIGURATION = '2903';

/** Attributes by their instance ids, in order. */
const byInstance = <C extends codecs.AnyCodec>(codec: C) =>
  codecs.described(t.record(t.string, codec, 'an object of attributes by their instance ids'), {
    type: 'object',
    additionalProperties: codec.schema.input,
  });

const octets = codecs.array(codecs.integer(0, 255), 'an array of octets');
const maxLength = codecs.integer(0, LONGEST_VALUE);
const permission = codecs.oneOf(Object.keys(PERMISSIONS));

const Descriptor = codecs.objectWith(
  { uuid },
  { value: octets, readPerm: permission, writePerm: permission, maxLength, fixedLength: codecs.boolean },
);

const Characteristic = codecs.objectWith(
  { uuid, properties: codecs.anyObject },
  {
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

const propertiesOf = ({ properties }: Characteristic): readonly string[] =>
  Object.keys(properties).filter((name) => properties[name] === true);

const permissionOf = (input = 'open'): Permission | undefined => PERMISSIONS[input];

const characteristicOf = (input: Characteristic): ImportedCharacteristic => {
  const descriptors = Object.values(input.children ?? {});
  const configuration = descriptors.find(({ uuid }) => uuid === Uuid.configuration);
  return {
    uuid: input.uuid,
    value: Buffer.from(input.value ?? []),
    properties: propertiesOf(input).flatMap((name) => PROPERTIES[name] ?? []),
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
        .filter((name) => PROPERTIES[name] === undefined)
        .map((name) => `${id} properties.${name}`),
      ...(characteristic.fixedLength === true ? [`${id} fixedLength`] : []),
      ...Object.entries(characteristic.children ?? {}).flatMap(([child, { readPerm, fixedLength }]) => [
        ...(readPerm === 'no_access' ? [`${child} readPerm no_access`] : []),
        ...(fixedLength === true ? [`${child} fixedLength`] : []),
      ]),
    ]),
  );

/** The device of a setup; its Generic Access service has its name and its appearance. */
export const importNrfConnect = (input: NrfConnectSetup): Imported => {
  const services: readonly ImportedService[] = Object.values(input.children).map(
    ({ uuid: serviceUuid, children = {} }) => ({
      ...{ uuid: serviceUuid, characteristics: Object.values(children).map(characteristicOf) },
    }),
  );
  const generic = services.find(({ uuid }) => uuid === GenericUuid.access)?.characteristics ?? [];
  const valueOf = (type: string): Buffer =>
    generic.find(({ uuid }) => uuid === type)?.value ?? Buffer.alloc(0);
  const [name, appearance] = [valueOf(GenericUuid.deviceName), valueOf(GenericUuid.appearance)];
  return {
    device: {
      ...{ kind: 'gatt', name: name.length === 0 ? USUAL_NAME : name.toString('utf8') },
      ...(appearance.length >= 2 && { appearance: appearance.readUInt16LE(0) }),
      ...(mustAuthenticate(services) && { pairing: { io: 'display' } }),
      services: servicesField(services),
    },
    leftOut: leftOutOf(input),
  };
};
