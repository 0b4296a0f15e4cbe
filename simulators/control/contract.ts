/**
 * The network contract of the control API: a row for each request, and the codecs of the messages.
 * Requests are read and answers written by them, the API documents are made of them.
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
import { PlanBody } from './chaos-plan.js';
import { FaultAnswer, FaultBody } from './faults.js';
import type { Kinds } from './kinds.js';
import { DIRECTIONS, PROTOCOLS } from '../packets/packet.js';
import { ProxyAnswer, ProxyBody } from './proxy-spec.js';
import { ReceptionBody, placeFields, specSchema } from './specs.js';

const MAX_LATENCY_MS = 60_000;
const MAX_SEED = 2 ** 32 - 1;

const { about } = codecs;

const seed = codecs.named(
  'Seed',
  'Chance follows from it; it begins again where it is set',
  codecs.integer(0, MAX_SEED),
);

const count = (what: string) => about(what, codecs.anyInteger);
const ofDevice = { address: codecs.deviceAddress };
const ofFault = { id: about('Of the fault, such as f1', codecs.text) };
const ofProxy = { name: about('Of the proxy, such as proxy-1', codecs.text) };
const ofAdapter = { id: about('Of the adapter, such as hci0', codecs.text) };
const kind = about('The name of its kind, such as dice', codecs.text);

const known = {
  ...ofDevice,
  kind,
  name: about('The name that it advertises', codecs.text),
  connected: about('Whether a host has a link to it', codecs.boolean),
  advertising: about('Whether it advertises now; not while it is connected', codecs.boolean),
};

const ListedDevice = codecs.named('ListedDevice', 'A device', codecs.object(known));

/** The fields that devices of all kinds have. */
export const KnownModel = codecs.objectWith(known, placeFields);

const Model = codecs.named(
  'Model',
  'Everything that is known of a device; each kind has more fields of its own',
  codecs.json({ ...KnownModel.schema.output, additionalProperties: true }),
);

const Deleted = codecs.literal(true);

/** The devices: who is there, what they are like, what happens to them. */
const deviceEndpoints = (kinds: Kinds) => ({
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
    summary: 'Returns all of one',
    params: ofDevice,
    response: Model,
    fails: ['unknown_device'],
  }),
  act: endpoint({
    method: 'POST',
    path: '/devices/:address/actions',
    subject: 'Devices',
    summary: 'Does something to it',
    params: ofDevice,
    body: codecs.named('Action', 'An action, by the kind of the device', ofKinds(kinds, 'action')),
    response: Model,
    fails: ['unknown_device', 'not_subscribed', 'not_asked'],
  }),
  behave: endpoint({
    method: 'PUT',
    path: '/devices/:address/behaviour',
    subject: 'Devices',
    summary: 'Sets how it misbehaves, whole',
    params: ofDevice,
    body: codecs.named('Behaviour', 'How a device misbehaves, by its kind', ofKinds(kinds, 'behaviour')),
    response: Model,
    fails: ['unknown_device'],
  }),
});

/** The body that is read by the kind of the device. */
const ofKinds = (kinds: Kinds, part: 'action' | 'behaviour') => {
  const all = Object.entries(kinds).map(([name, { schemas }]) => ({ name, schema: schemas[part] }));
  const distinct = all.filter(({ schema }, at) => all.findIndex((other) => other.schema === schema) === at);
  return codecs.json({
    anyOf: distinct.map(({ name, schema }) => ({ title: `${part}_${name}`, ...schema })),
  });
};

const air = {
  pace: about('`fast`: the time of devices runs 20 times as fast', codecs.oneOf(['fast', 'real'])),
  loss: about('The part of packets that is lost, 0 to 1; links send them again', codecs.number(0, 1)),
  latency_ms: about('Each way, milliseconds', codecs.number(0, MAX_LATENCY_MS)),
  seed,
};
export const AirBody = codecs.closedObject({}, air);
const AirAnswer = codecs.named('Air', 'Pace, loss, latency each way and seed', codecs.object(air));
const AirReport = codecs.named(
  'AirReport',
  'The settings of the air, and whether there is a plan of chaos',
  codecs.object({ ...air, chaos: about('Whether there is a plan of chaos', codecs.boolean) }),
);

const ResetBody = codecs.closedObject({}, { seed });

/** Whether the tokens of clocks are in the answer. */
const Tokens = about(
  'Of clocks; `masked` unless given: zeros in their place',
  codecs.oneOf(['masked', 'shown']),
);

const traceEndpoint = endpoint({
  method: 'GET',
  path: '/trace',
  subject: 'Capture',
  summary:
    'The latest of the HCI capture of all controllers, btsnoop; with zeros in the place of tokens of clocks',
  query: { tokens: Tokens },
  response: codecs.bytes('application/octet-stream'),
  fails: ['no_trace'],
});

const MAX_PACKETS = 1_000;
/** The default number of packets in an answer. */
export const USUAL_PACKETS = 500;

const Packet = codecs.named(
  'Packet',
  'A packet of the capture in the words of the Core specification; `handle` and `peer` are of the connection',
  codecs.object({
    number: count('Of its record in the whole trace, from 1'),
    time: about('ISO 8601, UTC, microseconds', codecs.text),
    adapter: about(
      'Of a host by its id, of a device by its address; null in a note about the whole air',
      codecs.nullable(codecs.text),
    ),
    direction: about('Null in a note', codecs.nullable(codecs.oneOf(DIRECTIONS))),
    protocol: about('`acl`: a fragment; `note`: no packet', codecs.oneOf(PROTOCOLS)),
    summary: about('A line for people', codecs.text),
    handle: about('Connection handle; null outside a connection', codecs.nullable(codecs.anyInteger)),
    peer: about('The address of the other side; null where it is not known', codecs.nullable(codecs.text)),
    hex: about('The packet, its H4 type first', codecs.text),
    parts: codecs.array(
      codecs.object({ name: about('Of the field', codecs.text), value: about('For people', codecs.text) }),
      'an array of fields',
    ),
  }),
);

const packetsEndpoint = endpoint({
  method: 'GET',
  path: '/trace/packets',
  subject: 'Capture',
  summary: 'The packets of the capture after the number `since`, or the newest',
  query: {
    since: about(
      'Only packets after this number; the newest unless given',
      codecs.integerInText(0, Number.MAX_SAFE_INTEGER),
    ),
    limit: about(`At most so many; ${USUAL_PACKETS} unless given`, codecs.integerInText(1, MAX_PACKETS)),
    tokens: Tokens,
  },
  response: codecs.named(
    'Packets',
    'The oldest first',
    codecs.object({
      packets: codecs.array(Packet, 'an array of packets'),
      dropped: count('How many after `since` are not kept any more'),
      newest: count('The number of the newest of all'),
    }),
  ),
  fails: ['no_trace'],
});

const ChaosAnswer = codecs.named(
  'Chaos',
  'A plan that runs, and what its faults have done, by type',
  codecs.object({
    seed,
    duration_secs: about('Seconds', codecs.number(1, 86_400)),
    elapsed_ms: count('Milliseconds since it began'),
    running: about('False once its time is over', codecs.boolean),
    faults: codecs.json({
      type: 'object',
      additionalProperties: codecs.object({
        scheduled: count('In the whole plan'),
        injected: count('So far'),
        missed: count('Their device was not there'),
        hits: count('How often they acted'),
      }).schema.output,
    }),
  }),
);

const powered = about('Whether it has power', codecs.boolean);

const AdapterAnswer = codecs.named(
  'Adapter',
  'The controller of a host',
  codecs.object({
    ...ofAdapter,
    ...ofDevice,
    powered,
    links: count('Its connections'),
    devices: codecs.array(codecs.deviceAddress, 'an array of addresses'),
  }),
);

const Violation = codecs.named(
  'Violation',
  'What a host did wrong',
  codecs.object({
    adapter: about('The id of its adapter', codecs.text),
    clause: about('Of the Core specification', codecs.text),
    message: about('For people', codecs.text),
    count: count('How often'),
    packet: about(
      'The number of the first packet in the trace; null: there is no trace',
      codecs.nullable(codecs.anyInteger),
    ),
  }),
);

const ViolationsAnswer = codecs.object({
  strict: about('False: nothing is checked', codecs.boolean),
  violations: codecs.array(Violation, 'an array of violations'),
});

/** The endpoints of the control API where one device is on an adapter of this machine. */
export const benchEndpoints = (kinds: Kinds) => ({
  ...deviceEndpoints(kinds),
  trace: traceEndpoint,
  packets: packetsEndpoint,
  reset: endpoint({
    method: 'POST',
    path: '/reset',
    subject: 'World',
    summary: 'The device as it was at the start',
    body: ResetBody,
    bodyIs: 'optional',
    response: codecs.object({ devices: count('Devices on the adapter') }),
    fails: ['adapter_failed', 'device_failed'],
  }),
});

export const benchHealth = healthEndpoints({ devices: count('Devices on the adapter') });
export type BenchEndpoints = TypesOf<ReturnType<typeof benchEndpoints>>;

/** All of the control API. `kinds`: what can be put into the world. */
export const endpoints = (kinds: Kinds) => ({
  ...deviceEndpoints(kinds),
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
    summary: 'Takes it out of the world, its connection without a word',
    params: ofDevice,
    response: codecs.object({ ...ofDevice, deleted: Deleted }),
    fails: ['unknown_device', 'device_failed'],
  }),
  air: endpoint({
    method: 'GET',
    path: '/air',
    subject: 'Air',
    summary: 'Returns the settings of the air, and whether there is a plan of chaos',
    response: AirReport,
  }),
  setAir: endpoint({
    method: 'PUT',
    path: '/air',
    subject: 'Air',
    summary: 'Changes the air; what is left out stays as it is',
    body: AirBody,
    response: AirAnswer,
  }),
  place: endpoint({
    method: 'PUT',
    path: '/air/:address',
    subject: 'Air',
    summary: 'Moves a device or an adapter, or a device for one `adapter` alone; `rssi` in dBm',
    params: ofDevice,
    body: ReceptionBody,
    response: codecs.object({ ...ofDevice, ...placeFields }),
    fails: ['unknown_device', 'unknown_adapter'],
  }),
  faults: endpoint({
    method: 'GET',
    path: '/faults',
    subject: 'Faults',
    summary: 'Lists the faults',
    response: codecs.array(FaultAnswer, 'an array of faults'),
  }),
  addFault: endpoint({
    method: 'POST',
    path: '/faults',
    subject: 'Faults',
    summary: 'Adds a fault',
    body: FaultBody,
    response: FaultAnswer,
    fails: ['unknown_device', 'unknown_adapter', 'unknown_proxy'],
  }),
  removeFault: endpoint({
    method: 'DELETE',
    path: '/faults/:id',
    subject: 'Faults',
    summary: 'Ends a fault',
    params: ofFault,
    response: codecs.object({ ...ofFault, deleted: Deleted }),
    fails: ['unknown_fault'],
  }),
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
  violations: endpoint({
    method: 'GET',
    path: '/violations',
    subject: 'Adapters',
    summary: 'Lists what strict controllers find wrong with their hosts',
    response: ViolationsAnswer,
  }),
  trace: traceEndpoint,
  packets: packetsEndpoint,
  chaos: endpoint({
    method: 'GET',
    path: '/chaos',
    subject: 'Faults',
    summary: 'Returns what the plan has done so far',
    response: ChaosAnswer,
    fails: ['no_chaos'],
  }),
  schedule: endpoint({
    method: 'GET',
    path: '/chaos/schedule',
    subject: 'Faults',
    summary: 'Lists all faults of the plan, each with the time after the beginning, ms',
    response: codecs.array(
      codecs.both(
        FaultBody,
        codecs.object({ at_ms: count('After the beginning of the plan, milliseconds') }),
        'a fault of the plan',
      ),
      'an array of faults',
    ),
    fails: ['no_chaos'],
  }),
  startChaos: endpoint({
    method: 'POST',
    path: '/chaos',
    subject: 'Faults',
    summary: 'Begins a plan, in place of one that runs',
    body: codecs.named('Plan', 'Faults by chance', codecs.json(PlanBody.schema.input)),
    response: ChaosAnswer,
  }),
  stopChaos: endpoint({
    method: 'DELETE',
    path: '/chaos',
    subject: 'Faults',
    summary: 'Ends the plan and its faults; returns what it has done',
    response: ChaosAnswer,
    fails: ['no_chaos'],
  }),
  reset: endpoint({
    method: 'POST',
    path: '/reset',
    subject: 'World',
    summary: 'The world as it was at the start',
    body: ResetBody,
    bodyIs: 'optional',
    response: AirAnswer,
    fails: ['device_failed', 'proxy_failed'],
  }),
});

export const health = healthEndpoints({
  devices: count('Devices in the world'),
  adapters: count('Adapters of hosts'),
  pages: about('Of the rig that it belongs to; null: it belongs to none', codecs.nullable(Pages)),
});
export type Endpoints = TypesOf<ReturnType<typeof endpoints>>;

const ofOne = { ...ofDevice, kind };

export const DeviceChanged = codecs.named(
  'DeviceChanged',
  'A device is new or another',
  codecs.object({ ...ofOne, model: Model }),
);

const Happened = codecs.object({
  type: about('Such as `written`; each type has fields of its own', codecs.text),
});

export const DeviceEvent = codecs.named(
  'DeviceEvent',
  'Something happened to a device that no model shows',
  codecs.object({ ...ofOne, event: codecs.json(Happened.schema.output) }),
);

export const events = socket({
  path: '/events',
  summary: 'Every device as it is, then every change',
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

/** Where one device is on an adapter of this machine. */
export const benchContract = (kinds: Kinds): Contract =>
  contractOf('bench', { ...benchEndpoints(kinds), ...benchHealth });

export type ChaosReport = t.TypeOf<typeof ChaosAnswer>;
export type Packet = t.TypeOf<typeof Packet>;
export type Air = t.TypeOf<typeof AirAnswer>;
export type Adapter = t.TypeOf<typeof AdapterAnswer>;
export type ProxyReport = t.TypeOf<typeof ProxyAnswer>;
export type FaultReport = t.TypeOf<typeof FaultAnswer>;
export type ViolationReport = t.TypeOf<typeof ViolationsAnswer>;
export type AirReport = t.TypeOf<typeof AirReport>;
export type AirChange = t.TypeOf<typeof AirBody>;
