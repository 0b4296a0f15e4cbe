/** Which server of a fleet hears which device, and how well. */
import type { Address, Unsubscribe } from '../ble/ports.js';
import { Heard, Signal } from '../contract/index.js';
import type { TimeSource } from '../async/time.js';
import { MAX_LIST_BYTES, MAX_STATUS_BYTES, MOST_DEVICES, MOST_HEARERS, setNewest } from './bounded.js';
import { readFrom } from './claims.js';

export const readHeard = readFrom(Heard, MAX_LIST_BYTES);
export const readSignal = readFrom(Signal, MAX_STATUS_BYTES);

/** A server tells so often which devices it hears; what it has not heard for twice that it does not hear any more, ms. */
export const REPEAT_MS = 10_000;
export const FORGET_MS = 2 * REPEAT_MS;
/** A signal that another server looks for is told so often, and again if it has changed, ms. */
const SIGNAL_MS = 2_000;
const CHANGED_MS = 250;
/** The difference of signals that is no change, dB. */
const NOISE_DB = 5;
const MOST_IN_A_MESSAGE = 500;

export type Listen = (listener: (address: Address, rssi: number) => void) => Unsubscribe;

interface Reading {
  readonly rssi: number;
  readonly at: number;
}

/** The devices that this server hears. */
export const openOwnHearing = (time: TimeSource) => {
  const heard = new Map<Address, Reading>();
  const told = new Map<Address, Reading>();

  const signalOf = (address: Address): number | undefined => {
    const reading = heard.get(address);
    return reading !== undefined && reading.at >= time.now() - FORGET_MS ? reading.rssi : undefined;
  };

  return {
    hear: (address: Address, rssi: number): void =>
      setNewest(heard, address, { rssi, at: time.now() }, MOST_DEVICES),
    /** Undefined: this server does not hear the device. */
    signalOf,
    /** Whether the server that looks for a device should be told its signal now; it counts as told then. */
    shouldTell: (address: Address, rssi: number): boolean => {
      const now = time.now();
      const last = told.get(address);
      const age = last === undefined ? Infinity : now - last.at;
      const hasChanged = Math.abs((last?.rssi ?? rssi) - rssi) >= NOISE_DB;
      if (age < (hasChanged ? CHANGED_MS : SIGNAL_MS)) return false;
      setNewest(told, address, { rssi, at: now }, MOST_DEVICES);
      return true;
    },
    /** All devices that it hears, in messages. */
    report: (): readonly Heard[] => {
      const devices = [...heard.keys()].flatMap((address) => {
        const rssi = signalOf(address);
        if (rssi === undefined) heard.delete(address);
        return rssi === undefined ? [] : [{ address, rssi }];
      });
      const messages = Math.ceil(devices.length / MOST_IN_A_MESSAGE);
      return Array.from({ length: messages }, (_, at) => ({
        devices: devices.slice(at * MOST_IN_A_MESSAGE, (at + 1) * MOST_IN_A_MESSAGE),
      }));
    },
    clear: (): void => {
      for (const one of [heard, told]) one.clear();
    },
  };
};

/** The servers that hear devices which this one has lost. */
export const openHearing = (time: TimeSource) => {
  const byDevice = new Map<Address, Map<string, Reading>>();
  return {
    heard: (address: Address, server: string, rssi: number): void => {
      const servers = byDevice.get(address) ?? new Map<string, Reading>();
      setNewest(servers, server, { rssi, at: time.now() }, MOST_HEARERS);
      setNewest(byDevice, address, servers, MOST_DEVICES);
    },
    /** The server that hears a device best, of those that have heard it since `since`; the first by name of equals. */
    best: (address: Address, since: number): string | undefined => {
      const [best] = [...(byDevice.get(address) ?? [])]
        .filter(([, { at }]) => at >= since)
        .sort(([a, { rssi: x }], [b, { rssi: y }]) => y - x || (a < b ? -1 : 1));
      return best?.[0];
    },
    clear: (): void => byDevice.clear(),
  };
};
