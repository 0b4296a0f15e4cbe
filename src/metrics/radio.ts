/** A radio whose operations are measured. */
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { Listeners } from '../async/defects.js';
import type {
  AdapterState,
  Address,
  Advertisement,
  BleError,
  Link,
  Radio,
  Unsubscribe,
  Uuid,
} from '../ble/ports.js';
import type { TimeSource } from '../async/time.js';
import type { Metrics } from './metrics.js';

const STATES: readonly AdapterState[] = ['unknown', 'poweredOn', 'poweredOff', 'unauthorized', 'unsupported'];

/** `LinkLost` as `link_lost`, like an error code. */
const codeOf = ({ _tag }: BleError): string => _tag.replace(/\B[A-Z]/g, '_$&').toLowerCase();

/** The device and the characteristic of an operation, and the written, notified or read value. */
interface Subject {
  readonly address: Address;
  readonly characteristic?: Uuid;
  readonly value?: unknown;
}

/** Called after each operation, with the `result` `ok` or the error, and for each notification, without a `result`. */
export type RadioTrace = (operation: string, subject: Subject, result?: string) => void;

type Measure = <A>(
  operation: string,
  subject: Subject,
  task: TE.TaskEither<BleError, A>,
) => TE.TaskEither<BleError, A>;

const measuring =
  (
    { operations, operationSeconds, operationsPending }: Metrics,
    time: TimeSource,
    trace: RadioTrace,
  ): Measure =>
  (operation, subject, task) =>
  async () => {
    const startedAt = time.now();
    let result = 'defect';
    let value: unknown;
    operationsPending.inc({ operation });
    try {
      const outcome = await task();
      result = E.isRight(outcome) ? 'ok' : codeOf(outcome.left);
      if (E.isRight(outcome)) value = outcome.right;
      return outcome;
    } finally {
      operationsPending.dec({ operation });
      operations.inc({ operation, result });
      operationSeconds.observe({ operation }, (time.now() - startedAt) / 1000);
      trace(operation, { value, ...subject }, result);
    }
  };

const measuredLink = (link: Link, measure: Measure, trace: RadioTrace): Link => {
  const { address } = link;
  const disconnect = measure('disconnect', { address }, async () => {
    await link.disconnect();
    return E.right(undefined);
  });
  return {
    address,
    get ended() {
      return link.ended;
    },
    get mtu() {
      return link.mtu;
    },
    onEnd: (listener) => link.onEnd(listener),
    notifies: (characteristic) => link.notifies(characteristic),
    read: (characteristic) => measure('read', { address, characteristic }, link.read(characteristic)),
    write: (characteristic, value, ...options) =>
      measure('write', { address, characteristic, value }, link.write(characteristic, value, ...options)),
    subscribe: (characteristic, listener) =>
      measure(
        'subscribe',
        { address, characteristic },
        link.subscribe(characteristic, (value) => {
          trace('notify', { address, characteristic, value });
          listener(value);
        }),
      ),
    rssi: measure('rssi', { address }, link.rssi),
    disconnect: async () => {
      if (link.ended !== undefined) await link.disconnect();
      else await disconnect();
    },
    fail: (reason) => link.fail(reason),
  };
};

/** `radio` with its operations counted in `metrics` and passed to `trace`. */
export const measuredRadio = (
  radio: Radio,
  metrics: Metrics,
  time: TimeSource,
  trace: RadioTrace = () => undefined,
): Radio => {
  const { adapterState, radioUp, advertisements, links, linksEnded, scanning, scans } = metrics;
  const measure = measuring(metrics, time, trace);
  const listeners = new Listeners<Advertisement>();
  let unlisten: Unsubscribe | undefined;

  metrics.beforeRead(() => {
    for (const state of STATES) adapterState.set({ state }, state === radio.state ? 1 : 0);
    // Proxies that mDNS finds come and go.
    radioUp.reset();
    for (const { name, isUp } of radio.parts ?? []) radioUp.set({ radio: name }, isUp ? 1 : 0);
  });

  const receive = (advertisement: Advertisement): void => {
    advertisements.inc();
    listeners.call(advertisement);
  };

  const adopt = (link: Link): Link => {
    links.inc();
    link.onEnd((reason) => {
      links.dec();
      linksEnded.inc({ cause: codeOf(reason) });
    });
    return measuredLink(link, measure, trace);
  };

  return {
    get state() {
      return radio.state;
    },
    get parts() {
      return radio.parts ?? [];
    },
    onState: (listener) => radio.onState(listener),
    listen: (listener) => {
      const remove = listeners.add(listener);
      if (unlisten === undefined) {
        scans.inc();
        scanning.set(1);
        unlisten = radio.listen(receive);
      }
      return () => {
        remove();
        if (listeners.size > 0) return;
        scanning.set(0);
        unlisten?.();
        unlisten = undefined;
      };
    },
    observe: (listener) => radio.observe(listener),
    lastAdvertisement: (address) => radio.lastAdvertisement(address),
    connect: (address, profile, signal) => {
      const connect = measure('connect', { address }, radio.connect(address, profile, signal));
      return async () => E.map(adopt)(await connect());
    },
    close: radio.close,
  };
};
