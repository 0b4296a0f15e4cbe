/** Keeps the world on the page up to date with the simulation. */
import { batch } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import type { TypeOf } from 'io-ts';
import { detached } from '../../src/async/defects.js';
import { documentEndpoints } from '../../src/contract/index.js';
import { DeviceChanged, DeviceEvent, events, health, KnownModel, type Listed } from '../control/contract.js';
import { call, failureOf, urlOf, type Outcome } from '../../src/page/common/api.js';
import { connection, followServer, pages } from '../../src/page/common/server.js';
import { keepOpen } from '../../src/page/common/socket.js';
import { isObject, kindsOf } from './schema.js';
import {
  adapters,
  air,
  chaos,
  chosen,
  devices,
  faults,
  inOrder,
  kinds,
  neighbourOf,
  proxies,
  rows,
  sawPacket,
  violations,
} from './state.js';

/** Devices from before the opening of the WebSocket that the server has not sent again. */
let unconfirmed = new Set<string>();

const forget = (removed: ReadonlySet<string>): void => {
  if (removed.size === 0) return;
  const { value: address } = chosen;
  devices.value = new Map([...devices.value].filter(([other]) => !removed.has(other)));
  if (address !== null && removed.has(address)) chosen.value = inOrder.value[0]?.address ?? null;
};

/** Reads the settings of the air, and the progress of a chaos plan. */
const readAir = async (signal: AbortSignal): Promise<void> => {
  const settings = await call(rows.air, {}, signal);
  if (E.isLeft(settings)) return;
  const plan = settings.right.chaos ? await call(rows.chaos, {}, signal) : undefined;
  batch(() => {
    air.value = settings.right;
    chaos.value = plan !== undefined && E.isRight(plan) ? plan.right : null;
  });
};

/** Reads the kinds of device, which stay the same while the server runs. */
const readKinds = async (signal: AbortSignal): Outcome => {
  if (connection.value === 'open') return null;
  const document = await call(documentEndpoints.openapi, {}, signal);
  if (E.isRight(document)) kinds.value = kindsOf(document.right);
  return failureOf(document);
};

let messages = 0;
/** The devices at the last look; null after a message, which may be newer. */
let listed: readonly Listed[] | null = null;

/** Whether the page shows the same of each listed device. */
const isUpToDate = (): boolean =>
  listed === null ||
  (listed.length === devices.value.size &&
    listed.every(({ address, name, connected, advertising }) => {
      const device = devices.value.get(address);
      return device?.name === name && device.connected === connected && device.advertising === advertising;
    }));

/** Reads the state that changes without an event. */
const read = async (signal: AbortSignal): Outcome => {
  const before = messages;
  const [kindsFailure, state, hosts, list, proxyList, activeFaults, strictMode] = await Promise.all([
    readKinds(signal),
    call(health.health, {}, signal),
    call(rows.adapters, {}, signal),
    call(rows.devices, {}, signal),
    call(rows.proxies, {}, signal),
    call(rows.faults, {}, signal),
    call(rows.violations, {}, signal),
    readAir(signal),
  ]);
  return batch(() => {
    if (connection.value === 'open') forget(unconfirmed);
    if (E.isRight(state)) pages.value ??= state.right.pages;
    if (E.isRight(hosts)) adapters.value = hosts.right;
    listed = E.isRight(list) && messages === before ? list.right : null;
    if (E.isRight(proxyList)) proxies.value = proxyList.right;
    if (E.isRight(activeFaults)) faults.value = activeFaults.right;
    if (E.isRight(strictMode)) violations.value = strictMode.right;
    return kindsFailure ?? failureOf(hosts);
  });
};

let isScheduled = false;

/** Schedules one refresh for all changes at the same time. */
const refreshSoon = (): void => {
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => {
    isScheduled = false;
    detached(server.refresh());
  });
};

const changed = ({ address, model }: TypeOf<typeof DeviceChanged>): void => {
  const decoded = KnownModel.decode(model);
  if (E.isLeft(decoded)) return;
  unconfirmed.delete(address);
  const before = devices.value.get(address)?.connected;
  devices.value = new Map(devices.value).set(address, {
    ...decoded.right,
    model: isObject(model) ? model : {},
  });
  chosen.value ??= address;
  if (before !== decoded.right.connected) refreshSoon();
};

const happened = ({ address, event }: TypeOf<typeof DeviceEvent>): void => {
  const type = isObject(event) ? event['type'] : undefined;
  if (type === 'written') sawPacket(address, 'receives');
  if (type === 'notified') sawPacket(address, 'sends');
  if (type === 'removed') {
    if (chosen.value === address) chosen.value = neighbourOf(address, 1);
    forget(new Set([address]));
  }
};

/** Takes a change or an event. Only a change has `model`; its codec alone accepts a missing `model` as JSON. */
const received = (message: unknown): void => {
  messages += 1;
  listed = null;
  if (!isObject(message)) return;
  if ('model' in message) {
    const change = DeviceChanged.decode(message);
    if (E.isRight(change)) batch(() => changed(change.right));
  } else {
    const event = DeviceEvent.decode(message);
    if (E.isRight(event)) batch(() => happened(event.right));
  }
};

/** The connection to the server, which sends all devices again on each opening of the WebSocket. */
export const server = followServer({
  read,
  follow: (connected) =>
    keepOpen({
      url: () => urlOf(events.path),
      received,
      connected: (is) => {
        if (is) unconfirmed = new Set(devices.value.keys());
        connected(is);
      },
      isUpToDate,
    }),
  lookMs: 2_000,
});
