/** The clocks of the page: their state on the server, and their readings. */
import { signal } from '@preact/signals';
import type { Alarm, ClockRecord, Device, Sensors, Settings } from '../../clock/contract.js';
import { computedList } from '../common/lists.js';
import * as maps from '../common/maps.js';
import { withPoint, type Point } from './points.js';
import { texts } from './texts.js';

/** A clock; null: not known yet. */
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
  /** The readings, the oldest first. */
  readonly points: readonly Point[];
  /** Whether a received event reports that the server has set the time of the clock. */
  readonly timeSet: boolean;
  /** The uploaded share of a tone; null without an upload. */
  readonly progress: number | null;
}

export const clocks = signal<ReadonlyMap<string, ClockView>>(new Map());
/** The clocks that the server remembers. */
export const records = signal<ReadonlyMap<string, ClockRecord>>(new Map());
/** The clocks that are bound to another token. */
export const refused = signal<ReadonlySet<string>>(new Set());
/** The present time, ms since 1970; changes each second. */
export const now = signal(Date.now());

setInterval(() => (now.value = Date.now()), 1_000);

/** In an order that does not change while clocks are connected. */
export const addresses = computedList(() => [...clocks.value.keys()].sort());

/** The name of a clock that nobody has given one. */
export const plainNameOf = ({ name }: Pick<ClockView, 'name'>): string =>
  name === '' ? texts.unnamed : name;

export const labelOf = ({ address }: Pick<ClockView, 'address'>): string | null =>
  records.value.get(address)?.label ?? null;

export const nameOf = (clock: Pick<ClockView, 'address' | 'name'>): string =>
  labelOf(clock) ?? plainNameOf(clock);

/** The label of a clock; without one, the address too, as clocks advertise the same name. */
export const fullNameOf = (clock: Pick<ClockView, 'address' | 'name'>): string =>
  labelOf(clock) ?? `${plainNameOf(clock)} ${clock.address}`;

export const changeRecord = (address: string, changed: Partial<ClockRecord>): void => {
  const record = records.value.get(address);
  if (record !== undefined) records.value = maps.put(records.value, address, { ...record, ...changed });
};

export const change = (address: string, changed: Partial<ClockView>): void => {
  const clock = clocks.value.get(address);
  if (clock !== undefined) clocks.value = maps.put(clocks.value, address, { ...clock, ...changed });
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
  clocks.value = maps.put(clocks.value, address, { ...view, address, name, rssi, linked: true });
};

export const remove = (address: string): void => {
  clocks.value = maps.without(clocks.value, address);
};

const addPoint = (address: string, reading: Sensors | null, received: number): void => {
  const points = clocks.value.get(address)?.points ?? [];
  // The server's time of day may jump back.
  const at = Math.max(received, points.at(-1)?.at ?? 0);
  change(address, { points: withPoint(points, { at, reading }) });
};

/** Keeps a reading that the server received at `time`. */
export const measured = (address: string, time: string, { temperature, humidity }: Sensors): void => {
  const reading = { temperature, humidity };
  change(address, { reading });
  addPoint(address, reading, Date.parse(time));
};

/** Adds a gap between the last reading of a clock and its next. */
export const addGap = (address: string): void => {
  if (clocks.value.get(address)?.points.at(-1)?.reading) addPoint(address, null, 0);
};

/** Replaces the alarm of a slot; an empty `alarm` deletes it. */
export const putAlarm = (address: string, slot: number, alarm: readonly Alarm[]): void => {
  const otherAlarms = (clocks.value.get(address)?.alarms ?? []).filter((other) => other.slot !== slot);
  change(address, { alarms: [...otherAlarms, ...alarm].sort((a, b) => a.slot - b.slot) });
};
