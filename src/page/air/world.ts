/** The simulated world as the page knows it: who is there, what is between them, what happens. */
import { batch, computed, signal } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import type { TypeOf } from 'io-ts';
import { decode, parseJson, type ParseError } from '../../codecs/index.js';
import { documentEndpoints } from '../../contract/index.js';
import {
  DeviceChanged,
  DeviceEvent,
  endpoints,
  events,
  KnownModel,
  type Adapter,
  type ChaosReport,
  type FaultReport,
  type ViolationReport,
} from '../../../simulators/control/contract.js';
import { call, requestOf, send, UNREACHABLE, urlOf, type Failure, type Given, type Row } from '../api.js';
import { keepOpen } from '../socket.js';
import { token } from '../token.js';
import { curlOf } from './curl.js';
import { actionsOf, isObject, type Variant } from './schema.js';
import { texts } from './texts.js';

/** What can be asked, whatever kinds of device there are. */
export const rows = endpoints({});

export interface Device extends TypeOf<typeof KnownModel> {
  /** All that is known of it. */
  readonly model: Readonly<Record<string, unknown>>;
}

/** Which way its last packets went, as seen from it. */
export type Traffic = 'sends' | 'receives';

export type Connection = 'connecting' | 'open' | 'lost' | 'token';

export const connection = signal<Connection>('connecting');
export const devices = signal<ReadonlyMap<string, Device>>(new Map());
export const traffic = signal<ReadonlyMap<string, Traffic>>(new Map());
export const adapters = signal<readonly Adapter[]>([]);
export const faults = signal<readonly FaultReport[]>([]);
export const violations = signal<ViolationReport | null>(null);
export const chaos = signal<ChaosReport | null>(null);
/** By kind. */
export const actions = signal<ReadonlyMap<string, readonly Variant[]>>(new Map());
export const chosen = signal<string | null>(null);
/** The last thing that was done, as a command. */
export const curl = signal<string | null>(null);

export const chosenDevice = computed(() =>
  chosen.value === null ? undefined : devices.value.get(chosen.value),
);

export const adapterOf = (address: string): Adapter | undefined =>
  adapters.value.find((adapter) => adapter.devices.includes(address));

/** How the plan of chaos gets on. */
const refreshChaos = async (): Promise<void> => {
  const plan = await call(rows.chaos, {});
  if (E.isRight(plan)) chaos.value = plan.right;
  else if (plan.left.code === 'no_chaos') chaos.value = null;
};

/** Reads what no event tells of. */
const refresh = async (): Promise<void> => {
  const [hosts, inForce, wrong] = await Promise.all([
    call(rows.adapters, {}),
    call(rows.faults, {}),
    call(rows.violations, {}),
    ...(chaos.value?.running === true ? [refreshChaos()] : []),
  ]);
  batch(() => {
    if (E.isLeft(hosts) && hosts.left.code === 'unauthorized') connection.value = 'token';
    if (E.isRight(hosts)) adapters.value = hosts.right;
    if (E.isRight(inForce)) faults.value = inForce.right;
    if (E.isRight(wrong)) violations.value = wrong.right;
  });
};

let isAwaited = false;

/** Once for all that changes at the same time. */
const refreshSoon = (): void => {
  if (isAwaited) return;
  isAwaited = true;
  setTimeout(() => {
    isAwaited = false;
    void refresh();
  });
};

/** How long a link is shown as busy after a packet. */
const BUSY_MS = 900;
const idle = new Map<string, number>();

const sawPacket = (address: string, way: Traffic): void => {
  clearTimeout(idle.get(address));
  if (traffic.value.get(address) !== way) traffic.value = new Map(traffic.value).set(address, way);
  idle.set(
    address,
    window.setTimeout(() => {
      traffic.value = new Map([...traffic.value].filter(([other]) => other !== address));
    }, BUSY_MS),
  );
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

const REFRESH_MS = 2_000;
const RETRY_MS = 1_000;

/** Follows the world for as long as the page is open. */
export const start = async (): Promise<void> => {
  const [document] = await Promise.all([call(documentEndpoints.openapi, {}), refresh()]);
  if (E.isLeft(document)) {
    connection.value = 'lost';
    setTimeout(() => void start(), RETRY_MS);
    return;
  }
  actions.value = actionsOf(document.right);
  if (connection.value === 'token') return;
  keepOpen({
    url: () => urlOf(events.path),
    received,
    connected: (is) => {
      batch(() => {
        connection.value = is ? 'open' : 'lost';
        // All are sent again.
        if (is) devices.value = new Map();
      });
      if (is) void Promise.all([refresh(), refreshChaos()]);
    },
  });
  setInterval(() => {
    const isSeen = window.document.visibilityState === 'visible';
    if (connection.value === 'open' && isSeen) void refresh();
  }, REFRESH_MS);
};

export const useToken = (given: string): void => {
  token.value = given;
  connection.value = 'connecting';
  void start();
};

type Outcome = Promise<Failure | null>;

/** Does something, and shows it as a command. */
const perform = async <G, A>(row: Row<G, A>, given: Given<G>): Outcome => {
  curl.value = curlOf(requestOf(row, given));
  const outcome = await call(row, given);
  await refresh();
  return E.isLeft(outcome) ? outcome.left : null;
};

export const act = (address: string, body: Json): Outcome => perform(rows.act, { params: { address }, body });

export const place = (address: string, body: { rssi?: number; in_range?: boolean }): Outcome =>
  perform(rows.place, { params: { address }, body });

const refused = ({ message, code }: ParseError): Outcome => Promise.resolve({ code, error: message });

export const addFault = (body: unknown): Outcome =>
  pipe(
    body,
    decode(rows.addFault.body, 'the fault'),
    E.fold(refused, (fault) => perform(rows.addFault, { body: fault })),
  );

export const removeFault = (id: string): Outcome => perform(rows.removeFault, { params: { id } });

const thenChaos = async (outcome: Outcome): Outcome => {
  const failure = await outcome;
  await refreshChaos();
  return failure;
};

export const startChaos = (plan: string): Outcome =>
  pipe(
    parseJson(plan, 'the plan'),
    E.fold(refused, (body) => thenChaos(perform(rows.startChaos, { body }))),
  );

export const stopChaos = (): Outcome => thenChaos(perform(rows.stopChaos, {}));

/** Saves the capture: a link could not carry the token. */
export const saveTrace = async (): Outcome => {
  const request = requestOf(rows.trace, {});
  curl.value = `${curlOf(request)} -o air.btsnoop`;
  try {
    const response = await send(request);
    if (!response.ok) return { code: 'no_trace', error: texts.noTrace };
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await response.blob());
    link.download = 'air.btsnoop';
    link.click();
    URL.revokeObjectURL(link.href);
    return null;
  } catch {
    return UNREACHABLE;
  }
};
