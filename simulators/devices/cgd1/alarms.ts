import { ALARM_SLOTS, Days, type Alarm } from '../../../src/protocols/cgd1/index.js';
import type { Cancel, TimeSource } from '../../../src/async/time.js';
import { nextRing, type LocalTime } from './times.js';

export interface AlarmContext {
  readonly time: TimeSource;
  readonly localTime: () => LocalTime;
  /** False: all are off, even those that are enabled. */
  readonly enabled: () => boolean;
  readonly ring: (slot: number) => void;
}

interface Due {
  readonly at: LocalTime;
  readonly slots: readonly number[];
}

/** The world's timers may run faster than its time; a timer that is early is set again, this long at least. */
const LEAST_WAIT_MS = 1000;

const none: readonly null[] = Array.from({ length: ALARM_SLOTS }, () => null);

/** The alarms of a clock, which ring when they are due. They hold one timer while any is to come. */
export class Alarms {
  private slots: readonly (Alarm | null)[];
  private heardUntil: LocalTime;
  private timer: Cancel | undefined;

  /** `start`: by slot; null and missing ones are empty. */
  constructor(
    start: readonly (Alarm | null)[],
    private readonly context: AlarmContext,
  ) {
    this.slots = none.map((empty, slot) => start[slot] ?? empty);
    this.heardUntil = context.localTime();
    this.wait();
  }

  /** Every slot, null where empty. */
  get entries(): readonly (Alarm | null)[] {
    return this.slots;
  }

  set(slot: number, alarm: Alarm | null): void {
    this.pass();
    this.slots = this.slots.map((other, index) => (index === slot ? alarm : other));
    this.wait();
  }

  clear(): void {
    this.slots = none;
    this.wait();
  }

  /** Time has passed: what fell due in it rings, in order. */
  pass(): void {
    const now = this.context.localTime();
    for (let due = this.next(); due !== undefined && due.at <= now; due = this.next()) {
      this.heardUntil = due.at;
      for (const slot of due.slots) this.ring(slot);
    }
    this.heardUntil = now;
    this.wait();
  }

  /** The time is another one: what lies between did not happen. */
  jump(): void {
    this.heardUntil = this.context.localTime();
    this.wait();
  }

  close(): void {
    this.timer?.();
    this.timer = undefined;
  }

  /** An alarm that rings once is switched off by it. */
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
      const at = alarm === null ? undefined : nextRing(alarm, this.heardUntil);
      if (at === undefined || (soonest !== undefined && soonest.at < at)) return soonest;
      return { at, slots: soonest?.at === at ? [...soonest.slots, slot] : [slot] };
    }, undefined);
  }
}
