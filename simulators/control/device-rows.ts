/** The rows of devices in the control API, and the fields that other rows share with them. */
import * as codecs from '../../src/codecs/index.js';
import { endpoint } from '../../src/contract/index.js';
import type { Kinds } from './kinds.js';
import { placeFields, specSchema } from './specs.js';

const { about } = codecs;

export const count = (what: string) => about(what, codecs.anyInteger);
export const ofDevice = { address: codecs.deviceAddress };
export const kind = about('The name of its kind, such as dice', codecs.text);

const known = {
  ...ofDevice,
  kind,
  name: about('The name that it advertises', codecs.text),
  connected: about('Whether a host has a link to it', codecs.boolean),
  advertising: about('Whether it advertises now; not while it is connected', codecs.boolean),
};

export const ListedDevice = codecs.named('ListedDevice', 'A device', codecs.object(known));

/** The fields that devices of all kinds have. */
export const KnownModel = codecs.objectWith(known, placeFields);

export const Model = codecs.named(
  'Model',
  'Everything that is known of a device; each kind has more fields of its own',
  codecs.json({ ...KnownModel.schema.output, additionalProperties: true }),
);

export const Deleted = codecs.literal(true);

const ofKinds = (kinds: Kinds, part: 'action' | 'behaviour') => {
  const all = Object.entries(kinds).map(([name, { schemas }]) => ({ name, schema: schemas[part] }));
  const distinct = all.filter(({ schema }, at) => all.findIndex((other) => other.schema === schema) === at);
  return codecs.json({
    anyOf: distinct.map(({ name, schema }) => ({ title: `${part}_${name}`, ...schema })),
  });
};

/** Rows for devices that are there. */
export const deviceEndpoints = (kinds: Kinds) => ({
  devices: endpoint({
    method: 'GET',
    path: '/devices',
    subject: 'Devices',
    summary: 'Lists the devices',
    response: codecs.array(ListedDevice, 'an array of devices'),
  }),
  device: endpoint({
    method: 'GET',
    path: '/devices/:address',
    subject: 'Devices',
    summary: 'Returns the full state of a device',
    params: ofDevice,
    response: Model,
    fails: ['unknown_device'],
  }),
  act: endpoint({
    method: 'POST',
    path: '/devices/:address/actions',
    subject: 'Devices',
    summary: 'Acts on a device',
    params: ofDevice,
    body: codecs.named('Action', 'An action, by the kind of the device', ofKinds(kinds, 'action')),
    response: Model,
    fails: ['unknown_device', 'not_subscribed', 'not_asked'],
  }),
  behave: endpoint({
    method: 'PUT',
    path: '/devices/:address/behaviour',
    subject: 'Devices',
    summary: 'Replaces the misbehaviour of a device',
    params: ofDevice,
    body: codecs.named('Behaviour', 'How a device misbehaves, by its kind', ofKinds(kinds, 'behaviour')),
    response: Model,
    fails: ['unknown_device'],
  }),
});

/** Rows that add and remove devices. */
export const populationEndpoints = (kinds: Kinds) => ({
  add: endpoint({
    method: 'POST',
    path: '/devices',
    subject: 'Devices',
    summary: 'Puts a device into the world',
    body: codecs.named('DeviceSpec', 'A device, by its kind', codecs.json(specSchema(kinds))),
    response: Model,
    fails: ['address_taken', 'device_failed'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/devices/:address',
    subject: 'Devices',
    summary: 'Removes a device; its connection is lost without a disconnect',
    params: ofDevice,
    response: codecs.object({ ...ofDevice, deleted: Deleted }),
    fails: ['unknown_device', 'device_failed'],
  }),
});
