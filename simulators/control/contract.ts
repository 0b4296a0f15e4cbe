/**
 * The network contract of the control API: a row for each request, and the codecs of the messages.
 * Requests are decoded, answers encoded and the API documents generated from it.
 */
import type * as t from 'io-ts';
import * as codecs from '../../src/codecs/index.js';
import {
  documentEndpoints,
  endpoint,
  healthEndpoints,
  metricsEndpoints,
  socket,
  type Contract,
  type TypesOf,
  Pages,
} from '../../src/contract/index.js';
import { adapterEndpoints, proxyEndpoints, type AdapterAnswer, type ProxyAnswer } from './adapter-rows.js';
import {
  AirAnswer,
  airEndpoints,
  chaosEndpoints,
  faultEndpoints,
  ResetBody,
  type AirBody,
  type AirReport,
  type ChaosAnswer,
} from './air-rows.js';
import {
  count,
  deviceEndpoints,
  kind,
  Model,
  ofDevice,
  populationEndpoints,
  type ListedDevice,
} from './device-rows.js';
import type { FaultAnswer } from './faults.js';
import type { Kinds } from './kinds.js';
import {
  traceEndpoints,
  violationEndpoints,
  type Packet as PacketCodec,
  type ViolationsAnswer,
} from './trace-rows.js';

const { about } = codecs;

export { KnownModel } from './device-rows.js';

/** The endpoints of the control API where one device is on an adapter of this machine. */
export const benchEndpoints = (kinds: Kinds) => ({
  ...deviceEndpoints(kinds),
  ...traceEndpoints,
  reset: endpoint({
    method: 'POST',
    path: '/reset',
    subject: 'World',
    summary: 'Resets a device to its state at the start',
    body: ResetBody,
    bodyIs: 'optional',
    response: codecs.object({ devices: count('Devices on the adapter') }),
    fails: ['adapter_failed', 'device_failed'],
  }),
});

export const benchHealth = healthEndpoints({ devices: count('Devices on the adapter') });
export type BenchEndpoints = TypesOf<ReturnType<typeof benchEndpoints>>;

/** All of the control API. `kinds`: the kinds of devices that clients can add. */
export const endpoints = (kinds: Kinds) => ({
  ...deviceEndpoints(kinds),
  ...populationEndpoints(kinds),
  ...airEndpoints,
  ...faultEndpoints,
  ...adapterEndpoints,
  ...proxyEndpoints,
  ...violationEndpoints,
  ...traceEndpoints,
  ...chaosEndpoints,
  reset: endpoint({
    method: 'POST',
    path: '/reset',
    subject: 'World',
    summary: 'Resets the world to its state at the start',
    body: ResetBody,
    bodyIs: 'optional',
    response: AirAnswer,
    fails: ['device_failed', 'proxy_failed'],
  }),
});

export const health = healthEndpoints({
  devices: count('Devices in the world'),
  adapters: count('Adapters of hosts'),
  pages: about('Pages of its rig; null without a rig', codecs.nullable(Pages)),
});
export type Endpoints = TypesOf<ReturnType<typeof endpoints>>;

const ofOne = { ...ofDevice, kind };

export const DeviceChanged = codecs.named(
  'DeviceChanged',
  'A device was added or changed',
  codecs.object({ ...ofOne, model: Model }),
);

const Happened = codecs.object({
  type: about('The type, such as `written`; each type has its own fields', codecs.text),
});

export const DeviceEvent = codecs.named(
  'DeviceEvent',
  'Something happened to a device that no model shows',
  codecs.object({ ...ofOne, event: codecs.json(Happened.schema.output) }),
);

export const events = socket({
  path: '/events',
  summary: 'The state of every device, then every change',
  query: {},
  events: [DeviceChanged, DeviceEvent],
});

const contractOf = (name: Contract['name'], served: Contract['endpoints']): Contract => ({
  name,
  title: 'airbench control API',
  summary:
    'The simulated devices: what they do, how they misbehave, and what is between them and their hosts.',
  endpoints: { ...served, ...metricsEndpoints, ...documentEndpoints },
  sockets: [events],
});

export const contract = (kinds: Kinds): Contract => contractOf('control', { ...endpoints(kinds), ...health });

export const benchContract = (kinds: Kinds): Contract =>
  contractOf('bench', { ...benchEndpoints(kinds), ...benchHealth });

export type ChaosReport = t.TypeOf<typeof ChaosAnswer>;
export type Packet = t.TypeOf<typeof PacketCodec>;
export type Air = t.TypeOf<typeof AirAnswer>;
export type Listed = t.TypeOf<typeof ListedDevice>;
export type Adapter = t.TypeOf<typeof AdapterAnswer>;
export type ProxyReport = t.TypeOf<typeof ProxyAnswer>;
export type FaultReport = t.TypeOf<typeof FaultAnswer>;
export type ViolationReport = t.TypeOf<typeof ViolationsAnswer>;
export type AirReport = t.TypeOf<typeof AirReport>;
export type AirChange = t.TypeOf<typeof AirBody>;
