import type { TimeOfDay } from './time-of-day.js';

export const LANGUAGES = ['zh', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

export const TIME_FORMATS = ['24h', '12h'] as const;
export type TimeFormat = (typeof TIME_FORMATS)[number];

export const TEMPERATURE_UNITS = ['C', 'F'] as const;
export type TemperatureUnit = (typeof TEMPERATURE_UNITS)[number];

/** The known fields of the settings record (docs/cgd1-protocol.md §7), by the names that clients have for them. */
export interface Settings {
  /** 1 to 5; a clock may hold any byte. */
  readonly volume: number;
  readonly language: Language;
  readonly time_format: TimeFormat;
  readonly temperature_unit: TemperatureUnit;
  /** False: no alarm rings, even one that is enabled. */
  readonly alarms_enabled: boolean;
  /** Minutes east of UTC, a multiple of 6; the clock knows no summer time. */
  readonly timezone_offset_minutes: number;
  /** How long a touch lights the display, seconds, 0 to 255. */
  readonly screen_light_secs: number;
  /** The brightness by day, per cent, 0 to 150 in steps of 10. */
  readonly brightness: number;
  /** The same in the night window. */
  readonly night_brightness: number;
  readonly night_mode_enabled: boolean;
  /** A clock may hold any two bytes, such as 25:61; the same for its end. */
  readonly night_start: TimeOfDay;
  readonly night_end: TimeOfDay;
  /** The signature of the tone of all alarms: 8 lower-case hex digits. */
  readonly ringtone: string;
}

/**
 * The 18 bytes behind `13 01` and `13 02`, as they are. Some have no known meaning and must be written back as
 * they were read, so a change is always one of a record.
 */
export type SettingsRecord = Buffer;

export const SETTINGS_BYTES = 18;

/** The unit of the time zone on the wire, minutes. */
export const ZONE_STEP = 6;

/** The unit of brightness on the wire, per cent. */
export const BRIGHTNESS_STEP = 10;
