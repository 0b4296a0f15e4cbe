import { shortBytes, type Field } from '../../bytes/index.js';
import { isTimeOfDay } from './settings.js';

/** How many slots can be set; a read also returns two more, 16 and 17 (docs/cgd1-protocol.md §6). */
export const ALARM_SLOTS = 16;

/** How many alarms one packet of the answer to `ReadAlarms` has. */
export const ALARMS_IN_PACKET = 3;

/** How many packets answer `ReadAlarms`: slots 0 to 17. */
export const ALARM_PACKETS = 6;

/** Bits of `days`. Some published constants begin with Sunday, unlike the clock (docs/cgd1-protocol.md §6). */
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

/** The entry of an empty slot. */
export const NO_ALARM = Buffer.alloc(ALARM_BYTES, 0xff);

const entryIn = (from: Buffer, offset: number): Buffer => from.subarray(offset, offset + ALARM_BYTES);

const write = ({ enabled, hour, minute, days, snooze }: Alarm): Buffer =>
  Buffer.from([Number(enabled), hour, minute, days & Days.everyDay, Number(snooze)]);

const read = (entry: Buffer): Alarm => ({
  enabled: entry.readUInt8(0) !== 0,
  hour: entry.readUInt8(1),
  minute: entry.readUInt8(2),
  days: entry.readUInt8(3) & Days.everyDay,
  snooze: entry.readUInt8(4) !== 0,
});

/** `enabled hour minute days snooze`; null: an empty slot, or an entry without a valid time of day. */
export const alarmSlot: Field<Alarm | null> = {
  size: ALARM_BYTES,
  read: (from, offset) => {
    const alarm = read(entryIn(from, offset));
    return isTimeOfDay(alarm) ? alarm : null;
  },
  write: (to, offset, alarm) => void (alarm === null ? NO_ALARM : write(alarm)).copy(to, offset),
};

/** The entry of an alarm with no other bits than its own. */
export const exactAlarm: Field<Alarm> = {
  size: ALARM_BYTES,
  read: (from, offset) => read(entryIn(from, offset)),
  write: (to, offset, alarm) => void write(alarm).copy(to, offset),
  problem: (from, offset) => {
    const entry = entryIn(from, offset);
    const alarm = read(entry);
    return isTimeOfDay(alarm) && write(alarm).equals(entry)
      ? undefined
      : `an alarm must be switch, hour, minute, days and snooze, got ${shortBytes(entry)}`;
  },
};
