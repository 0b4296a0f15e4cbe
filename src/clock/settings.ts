/** The settings of a clock: the record that it stores, and changes by clients. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Address } from '../ble/ports.js';
import { decode } from '../codecs/index.js';
import { Settable, Settings, SettingsChange } from './contract.js';
import { decodeSettings, encodeSettings, type SettingsRecord } from '../protocols/cgd1/index.js';

/** Decodes the record of a clock. Left `BadAnswer`: the record is invalid. */
export const settingsIn = (address: Address, record: SettingsRecord): E.Either<DeviceError, Settings> =>
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

/** A clock's record with a change. Left: a changed setting is out of range. */
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
        E.chain((stored) => inRange(without(Settings.encode(stored), written))),
      ),
    ),
    E.map(() => encodeSettings(record, change)),
  );
};
