/** The rows of the hosts' adapters and of Bluetooth proxies. */
import * as codecs from '../../src/codecs/index.js';
import { endpoint } from '../../src/contract/index.js';
import { count, Deleted, ofDevice } from './device-rows.js';
import { ProxyAnswer, ProxyBody } from './proxy-spec.js';

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
    summary: 'Switches a controller on or off; answers how it is then',
    params: ofAdapter,
    body: codecs.closedObject({ powered }),
    response: codecs.object({ ...ofAdapter, powered }),
    fails: ['unknown_adapter'],
  }),
  unplug: endpoint({
    method: 'DELETE',
    path: '/adapters/:id',
    subject: 'Adapters',
    summary: 'Takes a controller from its host, as if it were unplugged',
    params: ofAdapter,
    response: codecs.object({ ...ofAdapter, deleted: Deleted }),
    fails: ['unknown_adapter'],
  }),
};

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
    summary: 'Takes it away, its connections and links with it',
    params: ofProxy,
    response: codecs.object({ ...ofProxy, deleted: Deleted }),
    fails: ['unknown_proxy'],
  }),
};
