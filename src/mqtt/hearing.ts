/** Which server of a fleet hears which device, and how well. */
import type { Address, Unsubscribe } from '../ble/ports.js';
import { Heard } from '../contract/index.js';
import type { Cancel, TimeSource } from '../async/time.js';
import { MAX_LIST_BYTES, MOST_DEVICES, MOST_HEARERS, setNewest } from './bounded.js';
import { readFrom } from './claims.js';

export const readHeard = readFrom(Heard, MAX_LIST_BYTES);

/** Between two messages of a server, ms. */
const PAUSE_MS = 1_000;
/** A device that is still heard is named again after so long, and not heard any more after twice that, ms. */
export const REPEAT_MS = 10_000;
export const FORGET_MS = 2 * REPEAT_MS;
/** A device that was silent for so long is news again: it had a link, or was away, ms. */
const GAP_MS = 3_000;
/** The difference of signals that is no change, dB. */
const NOISE_DB = 5;
const MOST_IN_A_MESSAGE = 500;

export type Listen = (listener: (address: Address, rssi: number) => void) => Unsubscribe;

/** Says what is heard, until it is closed. */
export const reportSignals = (listen: Listen, time: TimeSource, publish: (heard: Heard) => void): Cancel => {
  const reported = new Map<Address, { readonly rssi: number; readonly at: number }>();
  /** When each was heard last. */
  const lastHeardAt = new Map<Address, number>();
  const pending = new Map<Address, number>();
  let next: Cancel | undefined;

  const report = (): void => {
    next = undefined;
    const at = time.now();
    for (const [address, heardAt] of lastHeardAt)
      if (at - heardAt > FORGET_MS) for (const known of [lastHeardAt, reported]) known.delete(address);
    const devices = [...pending].slice(0, MOST_IN_A_MESSAGE).map(([address, rssi]) => ({ address, rssi }));
    if (devices.length === 0) return;
    for (const { address, rssi } of devices) {
      pending.delete(address);
      setNewest(reported, address, { rssi, at }, MOST_DEVICES);
    }
    publish({ devices });
    next = time.after(PAUSE_MS, report);
  };

  const shouldReport = (address: Address, rssi: number, now: number): boolean => {
    const last = reported.get(address);
    const before = lastHeardAt.get(address);
    setNewest(lastHeardAt, address, now, MOST_DEVICES);
    if (last === undefined || before === undefined) return true;
    return Math.abs(last.rssi - rssi) >= NOISE_DB || now - last.at >= REPEAT_MS || now - before >= GAP_MS;
  };

  const unlisten = listen((address, rssi) => {
    if (!shouldReport(address, rssi, time.now())) return;
    setNewest(pending, address, rssi, MOST_DEVICES);
    // Advertisements of the same time go into one message.
    next ??= time.after(0, report);
  });
  return () => {
    unlisten();
    next?.();
  };
};

export const openHearing = (time: TimeSource) => {
  const byDevice = new Map<Address, Map<string, { readonly rssi: number; readonly at: number }>>();
  return {
    heard: (server: string, { devices }: Heard): void => {
      const at = time.now();
      for (const { address, rssi } of devices) {
        const servers = byDevice.get(address) ?? new Map<string, { rssi: number; at: number }>();
        setNewest(servers, server, { rssi, at }, MOST_HEARERS);
        setNewest(byDevice, address, servers, MOST_DEVICES);
      }
    },
    /** The server that hears a device best, of those that have heard it since `since`; the first by name of equals. */
    best: (
      address: Address,
      isOnline: (server: string) => boolean,
      since = -Infinity,
    ): string | undefined => {
      const from = Math.max(since, time.now() - FORGET_MS);
      const [best] = [...(byDevice.get(address) ?? [])]
        .filter(([server, { at }]) => at >= from && isOnline(server))
        .sort(([a, { rssi: x }], [b, { rssi: y }]) => y - x || (a < b ? -1 : 1));
      return best?.[0];
    },
    clear: (): void => byDevice.clear(),
  };
};
