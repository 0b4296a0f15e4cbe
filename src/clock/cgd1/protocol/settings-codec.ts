import * as E from 'fp-ts/lib/Either.js';
import { hex, toUint8, within } from '../../../bytes/index.js';
import { parseFailure, type ParseError } from '../../../codecs/parse-error.js';
import { SIGNATURE_BYTES } from './ringtone.js';
import {
  BRIGHTNESS_STEP,
  SETTINGS_BYTES,
  ZONE_STEP,
  type Settings,
  type SettingsRecord,
} from './settings.js';
import type { TimeOfDay } from './time-of-day.js';

/** Where a setting is in the record (docs/cgd1-protocol.md §7, less the two bytes before the record). */
const At = {
  volume: 0,
  flags: 3,
  zone: 4,
  screenLight: 5,
  brightness: 6,
  nightStart: 7,
  nightEnd: 9,
  zoneSign: 11,
  nightMode: 12,
  ringtone: 14,
} as const;

/** Bit 3 has no known meaning; 5 to 7 neither. */
const Flag = { english: 0x01, twelveHours: 0x02, fahrenheit: 0x04, alarmsOff: 0x10 } as const;

const MAX_NIBBLE = 0x0f;

const signature = hex(SIGNATURE_BYTES);

const readTime = (record: SettingsRecord, offset: number): TimeOfDay => ({
  hour: record.readUInt8(offset),
  minute: record.readUInt8(offset + 1),
});

const readZone = (record: SettingsRecord): number => {
  const minutes = record.readUInt8(At.zone) * ZONE_STEP;
  return record.readUInt8(At.zoneSign) === 0 && minutes > 0 ? -minutes : minutes;
};

/** Reads a record of 18 bytes, whatever they hold. Left: another length. */
export const decodeSettings = (record: SettingsRecord): E.Either<ParseError, Settings> => {
  if (record.length !== SETTINGS_BYTES) {
    return parseFailure(`the settings must have ${SETTINGS_BYTES} bytes, got ${record.length}`);
  }
  const flags = record.readUInt8(At.flags);
  const brightness = record.readUInt8(At.brightness);
  return E.right({
    volume: record.readUInt8(At.volume),
    language: flags & Flag.english ? 'en' : 'zh',
    timeFormat: flags & Flag.twelveHours ? '12h' : '24h',
    temperatureUnit: flags & Flag.fahrenheit ? 'F' : 'C',
    alarmsEnabled: (flags & Flag.alarmsOff) === 0,
    timezoneOffsetMinutes: readZone(record),
    screenLightSecs: record.readUInt8(At.screenLight),
    brightness: (brightness >> 4) * BRIGHTNESS_STEP,
    nightBrightness: (brightness & MAX_NIBBLE) * BRIGHTNESS_STEP,
    nightModeEnabled: record.readUInt8(At.nightMode) !== 0,
    nightStart: readTime(record, At.nightStart),
    nightEnd: readTime(record, At.nightEnd),
    ringtone: signature.read(record, At.ringtone),
  });
};

/**
 * The record with some settings changed and every other bit as it was; `record` has 18 bytes and is left alone.
 * A number becomes the nearest one that the record holds: a time zone is rounded to 6 minutes, brightness to 10 %.
 */
export const encodeSettings = (record: SettingsRecord, changes: Partial<Settings>): SettingsRecord => {
  const changed = Buffer.from(record);
  const setByte = (offset: number, value: number | undefined): void => {
    if (value !== undefined) changed.writeUInt8(toUint8(value), offset);
  };
  const setBits = (offset: number, mask: number, bits: number | undefined): void => {
    if (bits !== undefined) changed.writeUInt8((changed.readUInt8(offset) & ~mask) | bits, offset);
  };
  const setFlag = (flag: number, on: boolean | undefined): void =>
    setBits(At.flags, flag, on === undefined ? undefined : on ? flag : 0);
  const setTime = (offset: number, time: TimeOfDay | undefined): void => {
    setByte(offset, time?.hour);
    setByte(offset + 1, time?.minute);
  };
  const steps = (percent: number | undefined): number | undefined =>
    percent === undefined ? undefined : within(0, MAX_NIBBLE, percent / BRIGHTNESS_STEP);

  const { language, timeFormat, temperatureUnit, alarmsEnabled, timezoneOffsetMinutes: zone } = changes;
  const day = steps(changes.brightness);
  setByte(At.volume, changes.volume);
  setFlag(Flag.english, language && language === 'en');
  setFlag(Flag.twelveHours, timeFormat && timeFormat === '12h');
  setFlag(Flag.fahrenheit, temperatureUnit && temperatureUnit === 'F');
  setFlag(Flag.alarmsOff, alarmsEnabled === undefined ? undefined : !alarmsEnabled);
  if (zone !== undefined) {
    setByte(At.zone, Math.abs(zone) / ZONE_STEP);
    setByte(At.zoneSign, Number(zone >= 0));
  }
  setByte(At.screenLight, changes.screenLightSecs);
  setBits(At.brightness, MAX_NIBBLE << 4, day === undefined ? undefined : day << 4);
  setBits(At.brightness, MAX_NIBBLE, steps(changes.nightBrightness));
  setTime(At.nightStart, changes.nightStart);
  setTime(At.nightEnd, changes.nightEnd);
  setByte(
    At.nightMode,
    changes.nightModeEnabled === undefined ? undefined : Number(changes.nightModeEnabled),
  );
  if (changes.ringtone !== undefined) signature.write(changed, At.ringtone, changes.ringtone);
  return changed;
};
