/** The settings of a clock: the record that it stores, and changes by clients. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Address } from '../ble/ports.js';
import { decode, parseError } from '../codecs/index.js';
import { Settable, Settings, SettingsChange } from './contract.js';
import {
  decodeSettings,
  encodeSettings,
  type Settings as StoredSettings,
  type SettingsRecord,
} from '../protocols/cgd1/index.js';
import { followableOffset } from './time-zone.js';

/** Decodes the record of a clock. Left `BadAnswer`: the record is invalid. */
export const settingsIn = (address: Address, record: SettingsRecord): E.Either<DeviceError, StoredSettings> =>
  pipe(
    decodeSettings(record),
    E.mapLeft(({ message: reason }) => ({ _tag: 'BadAnswer', address, reason })),
  );

/** Settings in the form of a client's request. */
type Written = Readonly<Record<string, unknown>>;

const inRange = (settings: Written): E.Either<DeviceError, unknown> =>
  pipe({ command: { settings } }, decode(Settable, 'the request'));

const without = (stored: Written, change: Written): Written =>
  Object.fromEntries(Object.entries(change).filter(([name, value]) => stored[name] !== value));

/** The settings of a clock, and the record that has them. */
interface Stored {
  readonly record: SettingsRecord;
  readonly settings: Settings;
}

/** Decodes the record of a clock that follows `timezone`. Left `BadAnswer`: the record is invalid. */
export const storedIn = (
  address: Address,
  record: SettingsRecord,
  timezone: string | null,
): E.Either<DeviceError, Stored> =>
  pipe(
    settingsIn(address, record),
    E.map((settings) => ({ record, settings: { ...settings, timezone } })),
  );

interface Zone {
  readonly timezone: string | null;
  /** Undefined: the clock keeps its offset. */
  readonly timezone_offset_minutes: number | undefined;
}

/** The zone that a clock follows after a change, and its offset now. Left: no clock can follow the zone. */
const zoneAfter = (
  { timezone, timezone_offset_minutes: offset }: SettingsChange,
  stored: Settings,
  now: Date,
): E.Either<DeviceError, Zone> => {
  if (typeof timezone !== 'string') {
    const isKept = timezone === undefined && offset === undefined;
    return E.right({ timezone: isKept ? stored.timezone : null, timezone_offset_minutes: offset });
  }
  const isAsRead = timezone === stored.timezone && offset === stored.timezone_offset_minutes;
  if (offset !== undefined && !isAsRead)
    return E.left(
      parseError(
        'command.settings.timezone must be without timezone_offset_minutes, got both: the offset follows the zone',
      ),
    );
  return pipe(
    followableOffset(timezone, now),
    E.bimap(
      ({ message }) => parseError(`command.settings.${message}`),
      (timezone_offset_minutes) => ({ timezone, timezone_offset_minutes }),
    ),
  );
};

/** Settings with a change, and their record. Left: a changed setting is out of range, or no clock can follow the zone. */
export const changed = (
  address: Address,
  { record, settings }: Stored,
  change: SettingsChange,
  now: Date,
): E.Either<DeviceError, Stored> => {
  const written = SettingsChange.encode(change);
  return pipe(
    inRange(written),
    E.orElse(() => inRange(without(Settings.encode(settings), written))),
    E.chain(() => zoneAfter(change, settings, now)),
    E.chain(({ timezone, ...offset }) =>
      storedIn(address, encodeSettings(record, { ...change, ...offset }), timezone),
    ),
  );
};
