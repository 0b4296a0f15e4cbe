/** The clocks as the page knows them: what the server says of each, and what it received of them. */
import { signal } from '@preact/signals';
import type { Alarm, Device, Sensors, Settings } from '../../clock/contract.js';
import { computedList } from '../common/lists.js';
import { withPoint, type Point } from './points.js';

/** Null: not known yet. */
export interface ClockView {
  readonly address: string;
  readonly name: string;
  readonly rssi: number | null;
  readonly linked: boolean;
  readonly reading: Sensors | null;
  readonly battery: number | null;
  readonly settings: Settings | null;
  readonly alarms: readonly Alarm[] | null;
  readonly firmware: string | null;
  /** Received events, the oldest first. */
  readonly points: readonly Point[];
  /** Whether its time was set, as far as is remembered. */
  readonly timeSet: boolean;
  /** The share of an upload under way that has arrived. */
  readonly progress: number | null;
}

export const clocks = signal<ReadonlyMap<string, ClockView>>(new Map());
/** The clocks that are bound to another token. */
export const refused = signal<ReadonlySet<string>>(new Set());
/** Ticks with the clocks. */
export const now = signal(Date.now());

setInterval(() => (now.value = Date.now()), 1_000);

export const addresses = computedList(() => [...clocks.value.keys()]);

export const change = (address: string, changed: Partial<ClockView>): void => {
  const clock = clocks.value.get(address);
  if (clock !== undefined) clocks.value = new Map(clocks.value).set(address, { ...clock, ...changed });
};

export const put = ({ address, name, rssi }: Device): void => {
  const view = clocks.value.get(address) ?? {
    reading: null,
    battery: null,
    settings: null,
    alarms: null,
    firmware: null,
    points: [],
    timeSet: false,
    progress: null,
  };
  clocks.value = new Map(clocks.value).set(address, { ...view, address, name, rssi, linked: true });
};

export const remove = (address: string): void => {
  clocks.value = new Map([...clocks.value].filter(([other]) => other !== address));
};

const addPoint = (address: string, reading: Sensors | null, received: number): void => {
  const points = clocks.value.get(address)?.points ?? [];
  // The time of day of the server may jump back.
  const at = Math.max(received, points.at(-1)?.at ?? 0);
  change(address, { points: withPoint(points, { at, reading }) });
};

/** Keeps a reading that the server received at `time`. */
export const measured = (address: string, time: string, { temperature, humidity }: Sensors): void => {
  const reading = { temperature, humidity };
  change(address, { reading });
  addPoint(address, reading, Date.parse(time));
};

/** Between its last reading and the next there is a gap. */
export const addGap = (address: string): void => {
  if (clocks.value.get(address)?.points.at(-1)?.reading) addPoint(address, null, 0);
};

/** Puts `alarm`, or none, into a slot. */
export const putAlarm = (address: string, slot: number, alarm: readonly Alarm[]): void => {
  const others = (clocks.value.get(address)?.alarms ?? []).filter((other) => other.slot !== slot);
  change(address, { alarms: [...others, ...alarm].sort((a, b) => a.slot - b.slot) });
};
