/** Keeps the world that the page shows the same as the one that is simulated. */
import { batch } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import type { TypeOf } from 'io-ts';
import { documentEndpoints } from '../../contract/index.js';
import { DeviceChanged, DeviceEvent, events, KnownModel } from '../../../simulators/control/contract.js';
import { call, failureOf, urlOf, type Outcome } from '../api.js';
import { connection, followServer } from '../server.js';
import { keepOpen } from '../socket.js';
import { actionsOf, isObject } from './schema.js';
import { actions, adapters, chaos, chosen, devices, faults, rows, sawPacket, violations } from './state.js';

/** How the plan of chaos gets on. */
export const refreshChaos = async (): Promise<void> => {
  const plan = await call(rows.chaos, {});
  if (E.isRight(plan)) chaos.value = plan.right;
  else if (plan.left.code === 'no_chaos') chaos.value = null;
};

/** What can be done to each kind of device stays the same for as long as the server runs. */
const readActions = async (): Outcome => {
  if (connection.value === 'open') return null;
  const document = await call(documentEndpoints.openapi, {});
  if (E.isRight(document)) actions.value = actionsOf(document.right);
  return failureOf(document);
};

/** Reads what no event tells of. */
const read = async (): Outcome => {
  const [described, hosts, inForce, wrong] = await Promise.all([
    readActions(),
    call(rows.adapters, {}),
    call(rows.faults, {}),
    call(rows.violations, {}),
    ...(chaos.value?.running === true ? [refreshChaos()] : []),
  ]);
  return batch(() => {
    if (E.isRight(hosts)) adapters.value = hosts.right;
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
    void server.refresh();
  });
};

const changed = ({ address, model }: TypeOf<typeof DeviceChanged>): void => {
  const known = KnownModel.decode(model);
  if (E.isLeft(known)) return;
  const before = devices.value.get(address)?.connected;
  devices.value = new Map(devices.value).set(address, {
    ...known.right,
    model: isObject(model) ? model : {},
  });
  chosen.value ??= address;
  if (before !== known.right.connected) refreshSoon();
};

const happened = ({ address, event }: TypeOf<typeof DeviceEvent>): void => {
  const type = isObject(event) ? event['type'] : undefined;
  if (type === 'written') sawPacket(address, 'receives');
  if (type === 'notified') sawPacket(address, 'sends');
  if (type === 'removed') {
    devices.value = new Map([...devices.value].filter(([other]) => other !== address));
    if (chosen.value === address) chosen.value = null;
  }
};

const received = (message: unknown): void => {
  const change = DeviceChanged.decode(message);
  if (E.isRight(change)) {
    batch(() => changed(change.right));
    return;
  }
  const event = DeviceEvent.decode(message);
  if (E.isRight(event)) batch(() => happened(event.right));
};

/** The devices are all sent again whenever the WebSocket is opened. */
export const server = followServer({
  read,
  follow: (connected) =>
    keepOpen({
      url: () => urlOf(events.path),
      received,
      connected: (is) => {
        if (is) {
          devices.value = new Map();
          void refreshChaos();
        }
        connected(is);
      },
    }),
  lookMs: 2_000,
});
