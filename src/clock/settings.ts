/** The settings of a clock as the wire has them, and as clients may change them. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Address } from '../ble/ports.js';
import { decode } from '../codecs/index.js';
import { Settable, Settings, SettingsChange } from './contract.js';
import { decodeSettings, encodeSettings, type SettingsRecord } from '../protocols/cgd1/index.js';

/** Decodes the record of a clock. Left `BadAnswer`. */
export const settingsIn = (address: Address, record: SettingsRecord): E.Either<DeviceError, Settings> =>
  pipe(
    decodeSettings(record),
    E.mapLeft(({ message: reason }) => ({ _tag: 'BadAnswer', address, reason })),
  );

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
        E.chain((held) => inRange(without(Settings.encode(held), written))),
      ),
    ),
    E.map(() => encodeSettings(record, change)),
  );
};
