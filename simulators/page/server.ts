/** Keeps the world that the page shows the same as the one that is simulated. */
import { batch } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import type { TypeOf } from 'io-ts';
import { detached } from '../../src/async/defects.js';
import { documentEndpoints } from '../../src/contract/index.js';
import { DeviceChanged, DeviceEvent, events, health, KnownModel } from '../control/contract.js';
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

/** Items from before the WebSocket was opened that the server has not sent again. */
let unheardOf = new Set<string>();

const forget = (removed: ReadonlySet<string>): void => {
  if (removed.size === 0) return;
  const { value: address } = chosen;
  devices.value = new Map([...devices.value].filter(([other]) => !removed.has(other)));
  if (address !== null && removed.has(address)) chosen.value = inOrder.value[0]?.address ?? null;
};

/** How the air is, and how its plan of chaos gets on if it has one. */
const readAir = async (): Promise<void> => {
  const settings = await call(rows.air, {});
  if (E.isLeft(settings)) return;
  const plan = settings.right.chaos ? await call(rows.chaos, {}) : undefined;
  batch(() => {
    air.value = settings.right;
    chaos.value = plan !== undefined && E.isRight(plan) ? plan.right : null;
  });
};

/** The kinds of device stay the same for as long as the server runs. */
const readKinds = async (): Outcome => {
  if (connection.value === 'open') return null;
  const document = await call(documentEndpoints.openapi, {});
  if (E.isRight(document)) kinds.value = kindsOf(document.right);
  return failureOf(document);
};

/** Reads what no event tells of. */
const read = async (): Outcome => {
  const [described, state, hosts, ways, inForce, wrong] = await Promise.all([
    readKinds(),
    call(health.health, {}),
    call(rows.adapters, {}),
    call(rows.proxies, {}),
    call(rows.faults, {}),
    call(rows.violations, {}),
    readAir(),
  ]);
  return batch(() => {
    if (connection.value === 'open') forget(unheardOf);
    if (E.isRight(state)) pages.value ??= state.right.pages;
    if (E.isRight(hosts)) adapters.value = hosts.right;
    if (E.isRight(ways)) proxies.value = ways.right;
    if (E.isRight(inForce)) faults.value = inForce.right;
    if (E.isRight(wrong)) violations.value = wrong.right;
    return described ?? failureOf(hosts);
  });
};

let isAwaited = false;

/** Once for all that changes at the same time. */
const refreshSoon = (): void => {
  if (isAwaited) return;
  isAwaited = true;
  setTimeout(() => {
    isAwaited = false;
    detached(server.refresh());
  });
};

const changed = ({ address, model }: TypeOf<typeof DeviceChanged>): void => {
  const decoded = KnownModel.decode(model);
  if (E.isLeft(decoded)) return;
  unheardOf.delete(address);
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

/** Either has what the other lacks; a codec of any JSON takes that for nothing. */
const received = (message: unknown): void => {
  if (!isObject(message)) return;
  if ('model' in message) {
    const change = DeviceChanged.decode(message);
    if (E.isRight(change)) batch(() => changed(change.right));
  } else {
    const event = DeviceEvent.decode(message);
    if (E.isRight(event)) batch(() => happened(event.right));
  }
};

/** The devices are all sent again whenever the WebSocket is opened. */
export const server = followServer({
  read,
  follow: (connected) =>
    keepOpen({
      url: () => urlOf(events.path),
      received,
      connected: (is) => {
        if (is) unheardOf = new Set(devices.value.keys());
        connected(is);
      },
    }),
  lookMs: 2_000,
});
