/** Advertisements on their way to clients: with their scan response, and several at once. */
import type { Report } from '../ble/noble/index.js';
import type { Cancel, TimeSource } from '../async/time.js';
import { addressNumber, type RawAdvertisement } from '../protocols/esphome/index.js';

/** The delay of a batch of advertisements, ms, and its size, as in ESPHome. */
export const BATCH_MS = 100;
export const BATCH_SIZE = 16;

/** Devices whose advertisement is kept for its scan response. */
const MOST_DEVICES = 2000;

/** The RSSI that an adapter reports without a measurement, dBm. */
const UNKNOWN_RSSI = -127;

/** Adds to each scan response the advertisement that it belongs to. */
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

/** Takes reports, and hands them on in batches. */
export const openBatches = (time: TimeSource, send: (batch: readonly RawAdvertisement[]) => void) => {
  const join = joinResponses();
  let waiting: RawAdvertisement[] = [];
  let cancel: Cancel | undefined;
  const flush = (): void => {
    cancel?.();
    cancel = undefined;
    const batch = waiting;
    waiting = [];
    send(batch);
  };
  return {
    add: (report: Report): void => {
      waiting.push(join(report));
      if (waiting.length >= BATCH_SIZE) flush();
      else cancel ??= time.after(BATCH_MS, flush);
    },
    /** Hands on at once what waits. */
    flush: (): void => {
      if (waiting.length > 0) flush();
    },
    close: (): void => cancel?.(),
  };
};
