/** The simulated world as the page knows it: who is there, and what is between them. */
import { computed, signal } from '@preact/signals';
import type { TypeOf } from 'io-ts';
import {
  endpoints,
  type Adapter,
  type ChaosReport,
  type FaultReport,
  type KnownModel,
  type ViolationReport,
} from '../../../simulators/control/contract.js';
import type { Variant } from './schema.js';

/** What can be asked, whatever kinds of device there are. */
export const rows = endpoints({});

export interface Device extends TypeOf<typeof KnownModel> {
  /** All that is known of it. */
  readonly model: Readonly<Record<string, unknown>>;
}

/** Which way its last packets went, as seen from it. */
export type Traffic = 'sends' | 'receives';

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

/** How long a link is shown as busy after a packet. */
const BUSY_MS = 900;
const idle = new Map<string, number>();

export const sawPacket = (address: string, way: Traffic): void => {
  clearTimeout(idle.get(address));
  if (traffic.value.get(address) !== way) traffic.value = new Map(traffic.value).set(address, way);
  idle.set(
    address,
    window.setTimeout(() => {
      traffic.value = new Map([...traffic.value].filter(([other]) => other !== address));
    }, BUSY_MS),
  );
};
