import {
  RINGTONES,
  SETTINGS_BYTES,
  encodeSettings,
  type Settings,
} from '../../../src/protocols/cgd1/index.js';

export const FACTORY_SETTINGS: Settings = {
  volume: 3,
  language: 'en',
  time_format: '24h',
  temperature_unit: 'C',
  alarms_enabled: true,
  timezone_offset_minutes: 0,
  screen_light_secs: 15,
  brightness: 100,
  night_brightness: 50,
  night_mode_enabled: true,
  night_start: { hour: 22, minute: 0 },
  night_end: { hour: 7, minute: 0 },
  ringtone: RINGTONES.Beep,
};

/** Bytes of unknown meaning as hardware has them, everything else 0 (docs/cgd1-protocol.md §7). */
const blank = Buffer.concat([Buffer.from('005802', 'hex')], SETTINGS_BYTES);

export const FACTORY_RECORD = encodeSettings(blank, FACTORY_SETTINGS);

/** The time of a clock that has not been set: obviously wrong. */
export const FACTORY_TIME = Date.UTC(2020, 0, 1);

/** The version of newer clocks (docs/cgd1-protocol.md §5). */
export const FACTORY_FIRMWARE = '1.0.1_0130';
