/** Connects Bluetooth proxies and checks them. */
import { wait } from '../async/wait.js';
import type { TimeSource } from '../async/time.js';
import {
  ANSWER_MS,
  describeProxy,
  EsphomeProxy,
  ONE_CLIENT,
  type ProxyAddress,
} from '../ble/esphome/index.js';
import type { AdapterState, Address } from '../ble/ports.js';
import type { Problem } from '../ble/problem.js';
import { fail, ok, warn, type Check } from './report.js';

/** How long a proxy is listened to, ms. */
export const LISTEN_MS = 5_000;

/** No device is connected. */
const NO_LIMITS = { connect: 0, discover: 0, gatt: 0 };

export interface ProxyFacts {
  /** Such as `kitchen.local:6053`. */
  readonly place: string;
  /** The name that it reports. */
  readonly title: string;
  readonly isEncrypted: boolean;
  /** The reason why it cannot be used, and the fields below are empty; undefined: it can be used. */
  readonly problem: Required<Problem> | undefined;
  readonly slots: { readonly free: number; readonly limit: number } | undefined;
  /** The devices that another client had connected through it. */
  readonly foreign: readonly Address[];
  /** Whether it sends its advertisements to this client. */
  readonly isSubscribed: boolean;
  /** How many came within `LISTEN_MS`. */
  readonly advertisements: number;
  readonly devices: number;
  /** The strongest signal, dBm; null: nothing was heard or measured. */
  readonly best: number | null;
}

/** Connects a proxy, and listens for a while. */
export const gatherProxy = async (address: ProxyAddress, time: TimeSource): Promise<ProxyFacts> => {
  const bestSignals = new Map<string, number>();
  let advertisements = 0;
  const proxy = new EsphomeProxy({
    ...address,
    ...{ time, limits: NO_LIMITS, memory: { devices: 2_000, ms: 3 * LISTEN_MS } },
    ...{ inform: () => undefined, warn: () => troubled() },
  });
  proxy.listen(({ address: device, rssi }) => {
    advertisements += 1;
    bestSignals.set(device, Math.max(bestSignals.get(device) ?? -Infinity, rssi ?? -Infinity));
  });
  let troubled = (): void => undefined;
  const answered = wait<AdapterState | undefined>({ time, ms: ANSWER_MS }, (settle) => {
    troubled = () => settle(undefined);
    return proxy.onState(settle);
  })();
  proxy.start();
  await answered;
  if (proxy.state === 'poweredOn') await new Promise<void>((resolve) => void time.after(LISTEN_MS, resolve));
  const signals = [...bestSignals.values()].filter(Number.isFinite);
  const facts = {
    ...{ place: describeProxy(address), title: proxy.title, isEncrypted: address.key !== undefined },
    ...{
      problem: proxy.ownProblem,
      slots: proxy.slots,
      foreign: proxy.foreign,
      isSubscribed: proxy.isSubscribed,
      advertisements,
      devices: bestSignals.size,
    },
    best: signals.length === 0 ? null : Math.max(...signals),
  };
  await proxy.close();
  return facts;
};

const slotsCheck = ({ place, slots }: ProxyFacts): Check => {
  const check = `slots ${place}`;
  if (slots === undefined)
    return warn(check, `${place} does not say how many slots it has`, 'update ESPHome');
  const { free, limit } = slots;
  return free > 0
    ? ok(check, `${place} has ${free} of ${limit} slots free`)
    : warn(
        check,
        `all slots of ${place} are in use`,
        'disconnect a device, in Home Assistant too, or add a proxy',
      );
};

/** Checks that no other client has links; an accepted subscription ends them, and takes the proxy from that client without a word to it. */
const clientsCheck = ({ place, foreign, isSubscribed }: ProxyFacts): readonly Check[] => {
  const check = `clients ${place}`;
  const devices = `devices connected through ${place}: ${foreign.join(', ')}`;
  if (foreign.length === 0) return [];
  if (!isSubscribed) return [warn(check, `another client has ${devices}`, ONE_CLIENT)];
  return [
    warn(
      check,
      `another client had ${devices}; this check has taken the proxy from that client`,
      `restart that client if it is to use the proxy; ${ONE_CLIENT}`,
    ),
  ];
};

const hearingCheck = ({ place, isSubscribed, advertisements, devices, best }: ProxyFacts): Check => {
  const check = `hearing ${place}`;
  const within = `within ${LISTEN_MS / 1000} s`;
  if (!isSubscribed) return warn(check, `another client receives the advertisements of ${place}`, ONE_CLIENT);
  return devices === 0
    ? warn(
        check,
        `${place} heard no device ${within}`,
        'bring one near and wake it; `esp32_ble_tracker:` of ESPHome must scan, and no other client may use the proxy',
      )
    : ok(
        check,
        `${place} heard ${advertisements} advertisements of ${devices} devices ${within}` +
          (best === null ? '' : `, the strongest with ${best} dBm`),
      );
};

/** The checks of a proxy: first its connection and encryption, then its slots and advertisements. */
export const proxyChecks = (facts: ProxyFacts): readonly Check[] => {
  const { place, title, isEncrypted, problem } = facts;
  const check = `proxy ${place}`;
  if (problem !== undefined) return [fail(check, `${place} cannot be used: ${problem.what}`, problem.fix)];
  return [
    isEncrypted
      ? ok(check, `${place} is the proxy ${title}, and the key is right`)
      : warn(
          check,
          `${place} is the proxy ${title}, which does not encrypt: anyone in its network can use it`,
          'configure `api: encryption:`, and give its key by --proxy-key-file',
        ),
    slotsCheck(facts),
    ...clientsCheck(facts),
    hearingCheck(facts),
  ];
};
