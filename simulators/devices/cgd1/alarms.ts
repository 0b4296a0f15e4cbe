import { ALARM_SLOTS, Days, type Alarm } from '../../../src/protocols/cgd1/index.js';
import type { Cancel, TimeSource } from '../../../src/async/time.js';
import { nextRing, type LocalTime } from './times.js';

export interface AlarmContext {
  readonly time: TimeSource;
  readonly localTime: () => LocalTime;
  /** False: no alarm rings, enabled or not. */
  readonly enabled: () => boolean;
  readonly ring: (slot: number) => void;
}

interface Due {
  readonly at: LocalTime;
  readonly slots: readonly number[];
}

/** The shortest timer. The world's timers may run faster than its time; an early timer is set again. */
const LEAST_WAIT_MS = 1000;

const emptySlots: readonly null[] = Array.from({ length: ALARM_SLOTS }, () => null);

/** The alarms of a clock, which ring when they are due. They hold one timer while an alarm is pending. */
export class Alarms {
  private slots: readonly (Alarm | null)[];
  private checkedUntil: LocalTime;
  private timer: Cancel | undefined;

  /** `start`: alarms by slot; null and missing slots are empty. */
  constructor(
    start: readonly (Alarm | null)[],
    private readonly context: AlarmContext,
  ) {
    this.slots = emptySlots.map((empty, slot) => start[slot] ?? empty);
    this.checkedUntil = context.localTime();
    this.wait();
  }

  /** All slots; null: an empty slot. */
  get entries(): readonly (Alarm | null)[] {
    return this.slots;
  }

  set(slot: number, alarm: Alarm | null): void {
    this.pass();
    this.slots = this.slots.map((current, index) => (index === slot ? alarm : current));
    this.wait();
  }

  clear(): void {
    this.slots = emptySlots;
    this.wait();
  }

  /** Rings the alarms that have become due, in order. */
  pass(): void {
    const now = this.context.localTime();
    for (let due = this.next(); due !== undefined && due.at <= now; due = this.next()) {
      this.checkedUntil = due.at;
      for (const slot of due.slots) this.ring(slot);
    }
    this.checkedUntil = now;
    this.wait();
  }

  /** Adopts a time that was set: alarms between the old time and the new time do not ring. */
  jump(): void {
    this.checkedUntil = this.context.localTime();
    this.wait();
  }

  close(): void {
    this.timer?.();
    this.timer = undefined;
  }

  /** Switches off an alarm that rings only once. */
  private ring(slot: number): void {
    this.slots = this.slots.map((alarm, index) =>
      index === slot && alarm?.days === Days.once ? { ...alarm, enabled: false } : alarm,
    );
    this.context.ring(slot);
  }

  private wait(): void {
    this.close();
    const due = this.next();
    if (due === undefined) return;
    const ms = Math.max(LEAST_WAIT_MS, due.at - this.context.localTime());
    this.timer = this.context.time.after(ms, () => this.pass());
  }

  private next(): Due | undefined {
    if (!this.context.enabled()) return undefined;
    return this.slots.reduce<Due | undefined>((soonest, alarm, slot) => {
      const at = alarm === null ? undefined : nextRing(alarm, this.checkedUntil);
      if (at === undefined || (soonest !== undefined && soonest.at < at)) return soonest;
      return { at, slots: soonest?.at === at ? [...soonest.slots, slot] : [slot] };
    }, undefined);
  }
}
