import { isTimeOfDay } from './time-of-day.js';

/** Slots that can be set, 0 to 15; a read also tells of two that cannot (docs/cgd1-protocol.md §6). */
export const ALARM_SLOTS = 16;

/** Alarms in one packet of the answer to `ReadAlarms`. */
export const ALARMS_IN_PACKET = 3;

/** Packets that answer `ReadAlarms`: slots 0 to 17. */
export const ALARM_PACKETS = 6;

/** Bits of `days`. Some published constants begin with Sunday; the clock does not (docs/cgd1-protocol.md §6). */
export const Days = {
  once: 0x00,
  monday: 0x01,
  tuesday: 0x02,
  wednesday: 0x04,
  thursday: 0x08,
  friday: 0x10,
  saturday: 0x20,
  sunday: 0x40,
  weekdays: 0x1f,
  weekend: 0x60,
  everyDay: 0x7f,
} as const;

export interface Alarm {
  readonly enabled: boolean;
  /** In the clock's own time zone: 0 to 23. */
  readonly hour: number;
  readonly minute: number;
  /** Bit 0 is Monday, bit 6 Sunday; 0 rings once. */
  readonly days: number;
  readonly snooze: boolean;
}

/** Bytes of one entry. */
export const ALARM_BYTES = 5;

/** An entry without an alarm. */
const empty = Buffer.alloc(ALARM_BYTES, 0xff);

/** `enabled hour minute days snooze`; null is an empty slot. */
export const encodeAlarm = (alarm: Alarm | null): Buffer =>
  alarm === null
    ? Buffer.from(empty)
    : Buffer.from([
        Number(alarm.enabled),
        alarm.hour,
        alarm.minute,
        alarm.days & Days.everyDay,
        Number(alarm.snooze),
      ]);

/** Reads the five bytes of an entry; what has no time of day is no alarm. */
export const decodeAlarm = (bytes: Buffer): Alarm | null => {
  const alarm: Alarm = {
    enabled: bytes.readUInt8(0) !== 0,
    hour: bytes.readUInt8(1),
    minute: bytes.readUInt8(2),
    days: bytes.readUInt8(3) & Days.everyDay,
    snooze: bytes.readUInt8(4) !== 0,
  };
  return isTimeOfDay(alarm) ? alarm : null;
};
