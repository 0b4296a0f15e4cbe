/** The settings of a clock between the contract and the wire. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Address } from '../ble/ports.js';
import { decode } from '../codecs/index.js';
import { Settable, Settings, SettingsChange } from './contract.js';
import {
  decodeSettings,
  encodeSettings,
  type Settings as ClockSettings,
  type SettingsChanges,
  type SettingsRecord,
} from './cgd1/protocol/index.js';

/** Decodes the record of a clock. Left `BadAnswer`. */
export const settingsIn = (address: Address, record: SettingsRecord): E.Either<DeviceError, ClockSettings> =>
  pipe(
    decodeSettings(record),
    E.mapLeft(({ message: reason }) => ({ _tag: 'BadAnswer', address, reason })),
  );

export const toContract = (settings: ClockSettings): Settings => ({
  volume: settings.volume,
  language: settings.language,
  time_format: settings.timeFormat,
  temperature_unit: settings.temperatureUnit,
  alarms_enabled: settings.alarmsEnabled,
  timezone_offset_minutes: settings.timezoneOffsetMinutes,
  screen_light_secs: settings.screenLightSecs,
  brightness: settings.brightness,
  night_brightness: settings.nightBrightness,
  night_mode_enabled: settings.nightModeEnabled,
  night_start: settings.nightStart,
  night_end: settings.nightEnd,
  ringtone: settings.ringtone,
});

/** The settings that a client changes and nothing else, so that no other byte of a record is touched. */
const fromContract = (change: SettingsChange): SettingsChanges => ({
  volume: change.volume,
  language: change.language,
  timeFormat: change.time_format,
  temperatureUnit: change.temperature_unit,
  alarmsEnabled: change.alarms_enabled,
  timezoneOffsetMinutes: change.timezone_offset_minutes,
  screenLightSecs: change.screen_light_secs,
  brightness: change.brightness,
  nightBrightness: change.night_brightness,
  nightModeEnabled: change.night_mode_enabled,
  nightStart: change.night_start,
  nightEnd: change.night_end,
  ringtone: change.ringtone,
});

/** Settings as a client writes them. */
type Written = Readonly<Record<string, unknown>>;

const inRange = (settings: Written): E.Either<DeviceError, unknown> =>
  pipe({ command: { settings } }, decode(Settable, 'the request'));

const without = (held: Written, change: Written): Written =>
  Object.fromEntries(Object.entries(change).filter(([name, value]) => held[name] !== value));

/** A clock's record with a change. Left: a setting is out of range, and is not the one that the clock holds. */
export const changed = (
  address: Address,
  record: SettingsRecord,
  change: SettingsChange,
): E.Either<DeviceError, SettingsRecord> => {
  const written = SettingsChange.encode(change);
  return pipe(
    inRange(written),
    E.orElse(() =>
      pipe(
        settingsIn(address, record),
        E.chain((held) => inRange(without(Settings.encode(toContract(held)), written))),
      ),
    ),
    E.map(() => encodeSettings(record, fromContract(change))),
  );
};
