import { Days, type Alarm, type TimeOfDay } from '../../../src/protocols/cgd1/index.js';
import type { TimeSource } from '../../../src/async/time.js';

/** Local time: milliseconds since the Unix epoch as if the time zone were UTC. */
export type LocalTime = number;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The epoch began on a Thursday; bit 0 of `days` is Monday. */
const dayBit = (time: LocalTime): number => 1 << ((Math.floor(time / DAY_MS) + 3) % 7);

/** Milliseconds from midnight. */
const ofDay = ({ hour, minute }: TimeOfDay): number => (hour * 60 + minute) * MINUTE_MS;

/** Minutes from midnight. */
export const minuteOfDay = (time: LocalTime): number =>
  Math.floor((time - Math.floor(time / DAY_MS) * DAY_MS) / MINUTE_MS);

/** When a switched-on alarm rings next after `time`. */
export const nextRing = (alarm: Alarm, time: LocalTime): LocalTime | undefined => {
  if (!alarm.enabled) return undefined;
  const days = alarm.days === Days.once ? Days.everyDay : alarm.days;
  const today = Math.floor(time / DAY_MS) * DAY_MS + ofDay(alarm);
  return Array.from({ length: 8 }, (_, day) => today + day * DAY_MS).find(
    (due) => due > time && (days & dayBit(due)) !== 0,
  );
};

/** The time that the clock shows; it runs with the time of the simulation. */
export class RunningTime {
  private ahead = 0;

  constructor(
    private readonly time: TimeSource,
    start: number,
  ) {
    this.set(start);
  }

  /** Milliseconds since the Unix epoch, UTC. */
  get now(): number {
    return this.time.now() + this.ahead;
  }

  set(now: number): void {
    this.ahead = now - this.time.now();
  }

  advance(ms: number): void {
    this.ahead += ms;
  }
}
