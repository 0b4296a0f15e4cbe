/** The rows of the hosts' adapters and of Bluetooth proxies. */
import type * as t from 'io-ts';
import * as codecs from '../../src/codecs/index.js';
import { endpoint } from '../../src/contract/index.js';
import { MAX_SLOTS, ESPHOME_SUBSCRIBERS, USUAL_SLOTS } from '../../src/contract/proxies.js';
import { count, Deleted, ofDevice } from './device-rows.js';
import { proxyName } from './faults.js';

const { about } = codecs;

const ofAdapter = { id: about('The id of the adapter, such as hci0', codecs.text) };
const ofProxy = { name: about('The name of the proxy, such as proxy-1', codecs.text) };
const powered = about('Whether it has power', codecs.boolean);

export const AdapterAnswer = codecs.named(
  'Adapter',
  'The controller of a host',
  codecs.object({
    ...ofAdapter,
    ...ofDevice,
    powered,
    links: count('Connections of the adapter'),
    devices: codecs.array(codecs.deviceAddress, 'an array of addresses'),
  }),
);

export const adapterEndpoints = {
  adapters: endpoint({
    method: 'GET',
    path: '/adapters',
    subject: 'Adapters',
    summary: 'Lists the controllers of the hosts',
    response: codecs.array(AdapterAnswer, 'an array of adapters'),
  }),
  power: endpoint({
    method: 'POST',
    path: '/adapters/:id',
    subject: 'Adapters',
    summary: 'Switches a controller on or off; returns its new state',
    params: ofAdapter,
    body: codecs.closedObject({ powered }),
    response: codecs.object({ ...ofAdapter, powered }),
    fails: ['unknown_adapter'],
  }),
  unplug: endpoint({
    method: 'DELETE',
    path: '/adapters/:id',
    subject: 'Adapters',
    summary: 'Unplugs a controller from its host',
    params: ofAdapter,
    response: codecs.object({ ...ofAdapter, deleted: Deleted }),
    fails: ['unknown_adapter'],
  }),
};

const name = about('The name of the proxy and of its adapter', proxyName);
const slots = about('How many devices it connects at once', codecs.integer(1, MAX_SLOTS));
const subscriber = about(
  'The client that receives advertisements if several subscribe',
  codecs.oneOf(ESPHOME_SUBSCRIBERS),
);
const ProxyBody = codecs.closedObject(
  {},
  {
    name: about('The first free one of proxy-1, proxy-2 … unless given', proxyName),
    port: about('The TCP port; a free one if 0 or left out', codecs.integer(0, 65_535)),
    slots: about(`How many devices it connects at once; ${USUAL_SLOTS} unless given`, slots),
    subscriber: about('See `subscriber` of the answer; default `newest`', subscriber),
    key: about(
      'The key that encrypts connections; without a key they are plain',
      codecs.matching('a key of 32 bytes in base64 (44 characters)', /^[A-Za-z0-9+/]{43}=$/),
    ),
  },
);

export const ProxyAnswer = codecs.named(
  'Proxy',
  'A Bluetooth proxy of ESPHome on the radio; the key is never answered',
  codecs.object({
    name,
    port: count('The TCP port'),
    mac: about('The MAC address of the proxy and of its adapter', codecs.text),
    slots,
    subscriber,
    free: count('Slots that no device has, and no fault'),
    encrypted: about('Whether it has a key', codecs.boolean),
    up: about('False while it has no power', codecs.boolean),
    clients: count('Connections of clients'),
    devices: codecs.array(codecs.deviceAddress, 'an array of the addresses of devices that have a slot'),
  }),
);

export type ProxySpec = t.TypeOf<typeof ProxyBody>;

export const proxyEndpoints = {
  proxies: endpoint({
    method: 'GET',
    path: '/proxies',
    subject: 'Proxies',
    summary: 'Lists the Bluetooth proxies',
    response: codecs.array(ProxyAnswer, 'an array of proxies'),
  }),
  addProxy: endpoint({
    method: 'POST',
    path: '/proxies',
    subject: 'Proxies',
    summary: 'Puts a Bluetooth proxy of ESPHome on the radio',
    body: codecs.named('ProxySpec', 'A Bluetooth proxy', ProxyBody),
    response: ProxyAnswer,
    fails: ['name_taken', 'proxy_failed'],
  }),
  removeProxy: endpoint({
    method: 'DELETE',
    path: '/proxies/:name',
    subject: 'Proxies',
    summary: 'Removes a proxy; its connections and links end',
    params: ofProxy,
    response: codecs.object({ ...ofProxy, deleted: Deleted }),
    fails: ['unknown_proxy'],
  }),
};
