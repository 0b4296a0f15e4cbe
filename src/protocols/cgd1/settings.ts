/** A time on the clock's display: hour 0 to 23, minute 0 to 59. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

export const isTimeOfDay = ({ hour, minute }: TimeOfDay): boolean => hour <= 23 && minute <= 59;

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** `07:30`. */
export const formatTimeOfDay = ({ hour, minute }: TimeOfDay): string =>
  `${twoDigits(hour)}:${twoDigits(minute)}`;

/** The inverse of `formatTimeOfDay`. */
export const parseTimeOfDay = (text: string): TimeOfDay => {
  const [hour, minute] = text.split(':');
  return { hour: Number(hour), minute: Number(minute) };
};

export const LANGUAGES = ['zh', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

export const TIME_FORMATS = ['24h', '12h'] as const;
export type TimeFormat = (typeof TIME_FORMATS)[number];

export const TEMPERATURE_UNITS = ['C', 'F'] as const;
export type TemperatureUnit = (typeof TEMPERATURE_UNITS)[number];

/** The known fields of the settings record (docs/cgd1-protocol.md §7), by their names in the contract. */
export interface Settings {
  /** 1 to 5; a clock may have stored any byte. */
  readonly volume: number;
  readonly language: Language;
  readonly time_format: TimeFormat;
  readonly temperature_unit: TemperatureUnit;
  /** False: no alarm rings, even one that is enabled. */
  readonly alarms_enabled: boolean;
  /** Minutes east of UTC, a multiple of 6; the clock has no summer time. */
  readonly timezone_offset_minutes: number;
  /** How long a touch lights the display, seconds, 0 to 255. */
  readonly screen_light_secs: number;
  /** The brightness by day, per cent, 0 to 150 in steps of 10. */
  readonly brightness: number;
  /** The brightness from `night_start` to `night_end`. */
  readonly night_brightness: number;
  readonly night_mode_enabled: boolean;
  /** A clock may have stored any two bytes, such as 25:61, here and in `night_end`. */
  readonly night_start: TimeOfDay;
  readonly night_end: TimeOfDay;
  /** The signature of the tone of all alarms: 8 lower-case hex digits. */
  readonly ringtone: string;
}

const minuteOf = ({ hour, minute }: TimeOfDay): number => hour * 60 + minute;

/** Whether the night mode is on and a minute of the day, from 0, is in its window, which may span midnight. */
export const isNight = (
  { night_mode_enabled, night_start, night_end }: Settings,
  minuteOfDay: number,
): boolean => {
  const [start, end] = [minuteOf(night_start), minuteOf(night_end)];
  const hasBegun = minuteOfDay >= start;
  const hasEnded = minuteOfDay >= end;
  return night_mode_enabled && (start <= end ? hasBegun && !hasEnded : hasBegun || !hasEnded);
};

/**
 * The 18 bytes after `13 01` and `13 02`. Some have no known meaning and must be written back as they were
 * read, so every change starts from a record.
 */
export type SettingsRecord = Buffer;

export const SETTINGS_BYTES = 18;

/** The unit of the time zone on the wire, minutes. */
export const ZONE_STEP = 6;

/** The unit of brightness on the wire, per cent. */
export const BRIGHTNESS_STEP = 10;

/** The signatures of a clock's original tones, which settings name (docs/cgd1-protocol.md §7.1). */
export const RINGTONES = {
  Beep: 'fdc366a5',
  Digital: '0961bb77',
  'Digital 2': 'ba2c2c8c',
  Cuckoo: 'ea2d4c02',
  Telephone: '791bacb3',
  'Exotic guitar': '1d019fd6',
  'Lively piano': '6e70b659',
  'Story piano': '8f004886',
  'Forest piano': '26522519',
} as const;

export type RingtoneName = keyof typeof RINGTONES;

/** Signatures of uploaded tones, in turn: a clock refuses an upload under the signature in use. */
export const CUSTOM_SIGNATURES = ['deaddead', 'beefbeef'] as const;

/** Bytes of a signature; its text has 8 lower-case hex digits in the order of the wire. */
export const SIGNATURE_BYTES = 4;
