/** How well each server of a fleet hears each device. */
import { setNewest } from '../async/newest.js';
import type { Address, Unsubscribe } from '../ble/ports.js';
import { Heard, Signal } from '../contract/index.js';
import type { TimeSource } from '../async/time.js';
import { MAX_LIST_BYTES, MAX_STATUS_BYTES, MOST_DEVICES, MOST_HEARERS } from './bounded.js';
import { readFrom } from './claims.js';

export const readHeard = readFrom(Heard, MAX_LIST_BYTES);
export const readSignal = readFrom(Signal, MAX_STATUS_BYTES);

/** How often a server reports the devices that it hears; a device counts as heard for twice as long, ms. */
export const REPEAT_MS = 10_000;
export const FORGET_MS = 2 * REPEAT_MS;
/** The least time between two reports of a signal to the server that looks for the device, and of a changed signal, ms. */
const SIGNAL_MS = 2_000;
const CHANGED_MS = 250;
/** A smaller difference between signals is not a change, dB. */
const NOISE_DB = 5;
const MOST_IN_A_MESSAGE = 500;

export type Listen = (listener: (address: Address, rssi: number) => void) => Unsubscribe;

interface Reading {
  readonly rssi: number;
  readonly at: number;
}

/** The devices that this server hears. */
export class OwnHearing {
  private readonly signals = new Map<Address, Reading>();
  private readonly reported = new Map<Address, Reading>();

  constructor(private readonly time: TimeSource) {}

  hear(address: Address, rssi: number): void {
    setNewest(this.signals, address, { rssi, at: this.time.now() }, MOST_DEVICES);
  }

  /** The signal of a device, dBm; undefined: this server does not hear the device. */
  signalOf(address: Address): number | undefined {
    const reading = this.signals.get(address);
    return reading !== undefined && reading.at >= this.time.now() - FORGET_MS ? reading.rssi : undefined;
  }

  /** Whether to report a signal now to the server that looks for the device; it counts as reported then. */
  shouldReport(address: Address, rssi: number): boolean {
    const now = this.time.now();
    const last = this.reported.get(address);
    const age = last === undefined ? Infinity : now - last.at;
    const hasChanged = Math.abs((last?.rssi ?? rssi) - rssi) >= NOISE_DB;
    if (age < (hasChanged ? CHANGED_MS : SIGNAL_MS)) return false;
    setNewest(this.reported, address, { rssi, at: now }, MOST_DEVICES);
    return true;
  }

  /** All devices that this server hears, in messages. */
  report(): readonly Heard[] {
    const devices = [...this.signals.keys()].flatMap((address) => {
      const rssi = this.signalOf(address);
      if (rssi === undefined) this.signals.delete(address);
      return rssi === undefined ? [] : [{ address, rssi }];
    });
    const messages = Math.ceil(devices.length / MOST_IN_A_MESSAGE);
    return Array.from({ length: messages }, (_, at) => ({
      devices: devices.slice(at * MOST_IN_A_MESSAGE, (at + 1) * MOST_IN_A_MESSAGE),
    }));
  }

  clear(): void {
    for (const readings of [this.signals, this.reported]) readings.clear();
  }
}

/** The servers that hear lost devices of this server. */
export class Hearers {
  private readonly byDevice = new Map<Address, Map<string, Reading>>();

  constructor(private readonly time: TimeSource) {}

  heard(address: Address, server: string, rssi: number): void {
    const servers = this.byDevice.get(address) ?? new Map<string, Reading>();
    setNewest(servers, server, { rssi, at: this.time.now() }, MOST_HEARERS);
    setNewest(this.byDevice, address, servers, MOST_DEVICES);
  }

  /** The server that hears a device best, of all servers that have heard it since `since`; of equals, the first by name. */
  best(address: Address, since: number): string | undefined {
    const [best] = [...(this.byDevice.get(address) ?? [])]
      .filter(([, { at }]) => at >= since)
      .sort(([a, { rssi: x }], [b, { rssi: y }]) => y - x || (a < b ? -1 : 1));
    return best?.[0];
  }

  clear(): void {
    this.byDevice.clear();
  }
}
