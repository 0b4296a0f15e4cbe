import { Status } from '../../../src/ble/hci/status.js';
import type { Cancel } from '../../../src/async/time.js';
import type { FaultSpec, FaultType } from './fault-spec.js';
import type { FaultyProxy } from './faulty-proxy.js';
import type { Stage, Stages } from '../medium/hooks.js';
import type { ActiveFault } from './active-fault.js';
import type { Rng } from '../medium/rng.js';
import { completeName, encodeAdvertisingData, generalDiscoverable } from '../../ble/advertising-data.js';
import { Property, type AdvertisingPdu } from '../medium/pdu.js';

type FaultOf = { readonly [T in FaultType]: Extract<FaultSpec, { readonly type: T }> };

const stop = (): boolean => false;

/** The L2CAP header of a first fragment (Core 5.4 Vol 3 Part A 3.1); it is kept, so that the host can identify the corrupt packet. */
const L2CAP_HEADER = 4;

/** Changes one random byte of the payload, at `from` or later. */
const corrupt = (passing: { payload: Buffer }, from: number, chance: Rng): void => {
  if (passing.payload.length <= from) return;
  const payload = Buffer.from(passing.payload);
  const at = from + Math.floor(chance() * (payload.length - from));
  payload.writeUInt8(payload.readUInt8(at) ^ (1 + Math.floor(chance() * 255)), at);
  passing.payload = payload;
};

/** An advertisement of a new device with a static random address (Core 5.4 Vol 6 Part B 1.3.2.1). */
const backgroundAdvertisement = (chance: Rng): AdvertisingPdu => {
  const bytes = Buffer.from(Array.from({ length: 6 }, () => Math.floor(chance() * 256)));
  bytes.writeUInt8(bytes.readUInt8(0) | 0xc0, 0);
  const pairs = bytes.toString('hex').toUpperCase().match(/../g) ?? [];
  return {
    from: { address: pairs.join(':'), type: 'random' },
    properties: Property.legacy,
    response: false,
    data: encodeAdvertisingData([generalDiscoverable, completeName(`background ${pairs.slice(3).join('')}`)]),
    target: undefined,
    primaryPhy: 1,
    secondaryPhy: 0,
    identifier: undefined,
    txPower: undefined,
  };
};

/** The interval in which advertisements of unknown devices are sent together. */
const ADVERTISE_EVERY_MS = 10;

const backgroundAdvertisers = (fault: ActiveFault, perSecond: number): void => {
  let due = 0;
  fault.every(ADVERTISE_EVERY_MS, () => {
    due += (perSecond * ADVERTISE_EVERY_MS) / 1000;
    for (; due >= 1 && fault.acts(); due -= 1)
      fault.air.inject(backgroundAdvertisement(fault.chance), fault.matches);
  });
};

/** Ends the link of a packet, or all existing links. */
const loseLinks = (fault: ActiveFault, { after, rate, opcode }: FaultOf['link_loss']): void => {
  if (after === undefined && rate === undefined && opcode === undefined) {
    for (const link of fault.air.linksOf(fault.matches)) if (fault.acts()) link.end(Status.connectionTimeout);
    fault.end();
    return;
  }
  const lose = ({ link }: Stages['acl_to_host']): boolean => {
    link.end(Status.connectionTimeout);
    return false;
  };
  fault.on('acl_to_host', lose, opcode === undefined ? 'peer' : 'either');
};

const powerDown = (fault: ActiveFault): void => {
  for (const controller of fault.air.controllersOf(fault.matches)) {
    if (controller.powered) fault.acts();
    controller.power(false, fault);
    fault.atEnd(() => controller.power(true, fault));
  }
};

const loseReach = (fault: ActiveFault): void => {
  const { air } = fault;
  fault.acts();
  fault.addHook('reach', stop, 'either');
  fault.atEnd(() => air.changed());
  air.changed();
};

const fade = (fault: ActiveFault, { period_ms, depth_db }: FaultOf['fading']): void => {
  const { time } = fault.air;
  const beganAt = time.now();
  fault.on('rssi', (passing) => {
    const phase = (2 * Math.PI * (time.now() - beganAt)) / period_ms;
    passing.rssi = Math.max(-127, passing.rssi - Math.round((depth_db * (1 - Math.cos(phase))) / 2));
  });
};

/** Acts on the proxies that exist when the fault begins. */
const onProxies = (fault: ActiveFault, act: (proxy: FaultyProxy) => Cancel): void => {
  for (const proxy of fault.air.proxiesOf(fault.matches)) if (fault.acts()) fault.atEnd(act(proxy));
};

const loseConnections = (fault: ActiveFault): void => {
  for (const proxy of fault.air.proxiesOf(fault.matches)) if (fault.acts()) proxy.cut();
  fault.end();
};

const DEFAULT_STAGE = 'acl_from_host';

/** The start of each fault, which adds its hooks or acts immediately. */
const starts: { readonly [T in FaultType]: (fault: ActiveFault, spec: FaultOf[T]) => void } = {
  link_loss: loseLinks,
  silence: (fault) => fault.on('acl_from_host', stop),
  drop: (fault, { stage }) => fault.on<Stage>(stage, stop),
  delay: (fault, { stage = DEFAULT_STAGE, ms }) => fault.on(stage, (passing) => void (passing.delay += ms)),
  corrupt: (fault, { stage = DEFAULT_STAGE }) =>
    fault.on(stage, (passing) =>
      corrupt(passing, 'first' in passing && passing.first ? L2CAP_HEADER : 0, fault.chance),
    ),
  truncated_event: (fault, { bytes }) =>
    fault.on('event', (passing) => void (passing.payload = passing.payload.subarray(0, bytes))),
  refused_command: (fault, { status }) => fault.on('command', (passing) => void (passing.refused ??= status)),
  unanswered_command: (fault) => fault.on('command', stop),
  loss: (fault) => fault.on('transmission', stop, 'either'),
  failed_establishment: (fault) => fault.on('connection_request', stop, 'either'),
  adapter_down: powerDown,
  out_of_range: loseReach,
  fading: fade,
  background_advertisers: (fault, { per_second }) => backgroundAdvertisers(fault, per_second),
  proxy_slots_taken: (fault, { slots }) => onProxies(fault, (proxy) => proxy.takeSlots(slots)),
  proxy_connection_lost: loseConnections,
  proxy_slow: (fault, { ms, jitter_ms = 0 }) =>
    onProxies(fault, (proxy) => proxy.slowDown(() => ms + fault.chance() * jitter_ms)),
  proxy_stalled: (fault) => onProxies(fault, (proxy) => proxy.stall()),
  proxy_deaf: (fault) => onProxies(fault, (proxy) => proxy.deafen()),
  proxy_stale_links: (fault) => onProxies(fault, (proxy) => proxy.keepLinks()),
  proxy_other_key: (fault) => onProxies(fault, (proxy) => proxy.replaceKey()),
  proxy_down: (fault) => onProxies(fault, (proxy) => proxy.powerDown()),
};

export const begin = <T extends FaultType>(
  fault: ActiveFault,
  spec: FaultOf[T] & { readonly type: T },
): void => starts[spec.type](fault, spec);
