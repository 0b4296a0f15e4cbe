/** Advertisements for clients: joined with their scan response, in batches. */
import type { Report } from '../ble/noble/index.js';
import type { Cancel, TimeSource } from '../async/time.js';
import { addressNumber, type RawAdvertisement } from '../protocols/esphome/index.js';

/** The longest delay of an advertisement in a batch, ms, and the size of a batch, as in ESPHome. */
export const BATCH_MS = 100;
export const BATCH_SIZE = 16;

/** How many devices' advertisements are kept for their scan responses. */
const MOST_DEVICES = 2000;

/** The RSSI that an adapter reports without a measurement, dBm. */
const UNKNOWN_RSSI = -127;

/** Joins each scan response to its advertisement. */
const joinResponses = () => {
  const advertised = new Map<string, Buffer>();
  return ({ address, random, response, data, rssi }: Report): RawAdvertisement => {
    if (!response) {
      advertised.delete(address);
      advertised.set(address, Buffer.from(data));
      const [oldest] = advertised.keys();
      if (advertised.size > MOST_DEVICES && oldest !== undefined) advertised.delete(oldest);
    }
    const before = response ? advertised.get(address) : undefined;
    return {
      address: addressNumber(address),
      rssi: rssi ?? UNKNOWN_RSSI,
      addressType: random ? 1 : 0,
      data: before === undefined ? Buffer.from(data) : Buffer.concat([before, data]),
    };
  };
};

/** Sends reports in batches. */
export const openBatches = (time: TimeSource, send: (batch: readonly RawAdvertisement[]) => void) => {
  const join = joinResponses();
  let waiting: RawAdvertisement[] = [];
  let cancel: Cancel | undefined;
  let isClosed = false;
  const flush = (): void => {
    cancel?.();
    cancel = undefined;
    const batch = waiting;
    waiting = [];
    send(batch);
  };
  return {
    add: (report: Report): void => {
      if (isClosed) return;
      waiting.push(join(report));
      if (waiting.length >= BATCH_SIZE) flush();
      else cancel ??= time.after(BATCH_MS, flush);
    },
    /** Sends waiting advertisements at once. */
    flush: (): void => {
      if (waiting.length > 0) flush();
    },
    /** Drops waiting and all later advertisements. */
    close: (): void => {
      isClosed = true;
      waiting = [];
      cancel?.();
    },
  };
};
