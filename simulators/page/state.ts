/** The simulated world on the page: devices, hosts and the air between them. */
import { computed, signal } from '@preact/signals';
import type { TypeOf } from 'io-ts';
import {
  endpoints,
  type AirReport,
  type ChaosReport,
  type FaultReport,
  type ViolationReport,
  type KnownModel,
  type Adapter,
  type ProxyReport,
} from '../control/contract.js';
import { put, without } from '../../src/page/common/maps.js';
import type { Kind } from './schema.js';

/** The endpoints, for any kinds of device. */
export const rows = endpoints({});

/** The target of a fault for all devices. */
export const ALL = 'all';

export interface Device extends TypeOf<typeof KnownModel> {
  /** The complete state. */
  readonly model: Readonly<Record<string, unknown>>;
}

/** The direction of the last packets of a device, as seen from the device. */
export type Traffic = 'sends' | 'receives';

export const devices = signal<ReadonlyMap<string, Device>>(new Map());
export const traffic = signal<ReadonlyMap<string, Traffic>>(new Map());
export const adapters = signal<readonly Adapter[]>([]);
export const proxies = signal<readonly ProxyReport[]>([]);
export const faults = signal<readonly FaultReport[]>([]);
export const violations = signal<ViolationReport | null>(null);
export const chaos = signal<ChaosReport | null>(null);
export const air = signal<AirReport | null>(null);
export const kinds = signal<ReadonlyMap<string, Kind>>(new Map());
export const chosen = signal<string | null>(null);
/** The last action on a device; a new object for each action. */
export const acted = signal<{ readonly address: string; readonly type: string } | null>(null);
/** The last action as a command. */
export const curl = signal<string | null>(null);

export const chosenDevice = computed(() =>
  chosen.value === null ? undefined : devices.value.get(chosen.value),
);

export const inOrder = computed(() =>
  [...devices.value.values()].sort((a, b) => a.address.localeCompare(b.address)),
);

/** The device that is `places` further on in a circle. */
export const neighbourOf = (address: string, places: number): string | null => {
  const all = inOrder.value.map((device) => device.address);
  return all.at((all.indexOf(address) + places) % all.length) ?? null;
};

export const adapterOf = (address: string): Adapter | undefined =>
  adapters.value.find((adapter) => adapter.devices.includes(address));

/** The time for which a link looks busy after a packet. */
const BUSY_MS = 900;
const idle = new Map<string, number>();

export const sawPacket = (address: string, way: Traffic): void => {
  clearTimeout(idle.get(address));
  if (traffic.value.get(address) !== way) traffic.value = put(traffic.value, address, way);
  idle.set(
    address,
    window.setTimeout(() => {
      traffic.value = without(traffic.value, address);
    }, BUSY_MS),
  );
};
