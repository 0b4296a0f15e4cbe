import type { TimeSource } from '../../async/time.js';
import type { Collector } from './requests.js';
import { ALARM_PACKETS, ALARM_SLOTS, type Alarm } from './protocol/index.js';

/** How long after one packet of alarms the next may come, ms: a clock may send fewer of them. */
const PACKETS_APART_MS = 1_000;

export type SetAlarm = readonly [slot: number, alarm: Alarm];

/** Joins the packets of a clock's response; `done` is called with the slots that are set, in their order. */
export const collectAlarms = (time: TimeSource, done: (alarms: readonly SetAlarm[]) => void): Collector => {
  const slots = new Map<number, Alarm>();
  const packets = new Set<number>();
  let cancelPause = (): void => undefined;
  const finish = (): void => done([...slots].sort(([a], [b]) => a - b));
  return {
    take: (notification) => {
      if (notification._tag !== 'AlarmPacket') return;
      packets.add(notification.base);
      for (const [index, alarm] of notification.alarms.entries()) {
        const slot = notification.base + index;
        if (alarm !== null && slot < ALARM_SLOTS) slots.set(slot, alarm);
      }
      cancelPause();
      if (packets.size === ALARM_PACKETS) finish();
      else cancelPause = time.after(PACKETS_APART_MS, finish);
    },
    stop: () => cancelPause(),
  };
};
