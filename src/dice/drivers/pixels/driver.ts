/** Pixels of Systemic Games (docs/pixels-protocol.md). */
import { pipe } from 'fp-ts/lib/function.js';
import * as O from 'fp-ts/lib/Option.js';
import type { Advertisement } from '../../../ble/ports.js';
import { NOTHING_ADVERTISED, type Advertised, type DieDriver } from '../../port/driver.js';
import { openDie } from './die.js';
import {
  decodeManufacturerData,
  decodeServiceData,
  faceOf,
  PROFILES,
  profileIds,
  SERVICE_DATA_UUID,
  shapeOf,
  type AdvertisedIdentity,
  type AdvertisedState,
  type Profile,
} from '../../../protocols/pixels/index.js';

/** The state in an advertisement. */
const stateIn = ({ manufacturerData }: Advertisement): O.Option<AdvertisedState> =>
  pipe(
    O.fromNullable(manufacturerData),
    O.chain((bytes) => O.fromEither(decodeManufacturerData(bytes))),
  );

/** The identity in a scan response. */
const identityIn = ({ serviceData }: Advertisement): O.Option<AdvertisedIdentity> =>
  pipe(
    O.fromNullable(serviceData.find(({ uuid }) => uuid === SERVICE_DATA_UUID)),
    O.chain(({ data }) => O.fromEither(decodeServiceData(data))),
  );

const serviceIn = ({ serviceUuids }: Advertisement): O.Option<Profile> =>
  O.fromNullable(PROFILES.find((profile) => serviceUuids.includes(profileIds[profile].service)));

export const pixels: DieDriver = {
  manufacturer: 'Systemic Games',
  model: 'Pixels',
  /** An advertisement or a scan response is enough; each needs two signs, since other devices have the same service and company id. */
  isDie: (advertisement) =>
    (O.isSome(stateIn(advertisement)) && advertisement.serviceUuids.includes(SERVICE_DATA_UUID)) ||
    (O.isSome(identityIn(advertisement)) && O.isSome(serviceIn(advertisement))),
  advertised: (advertisement) =>
    pipe(
      stateIn(advertisement),
      O.match(
        () => NOTHING_ADVERTISED,
        ({ dieType, colorway, battery, charging, rollState, faceIndex }): Advertised => {
          const builtAt = O.toNullable(identityIn(advertisement))?.builtAt ?? null;
          const shape = shapeOf(dieType);
          const rolling = rollState === 'rolling';
          return {
            ...{ dice_type: shape, color: colorway, battery_level: battery, charging, rolling },
            face: shape === null || rolling ? null : (faceOf(dieType, faceIndex, builtAt) ?? null),
          };
        },
      ),
    ),
  profile: (advertisement) => {
    const { service, write, notify } = pipe(
      serviceIn(advertisement),
      O.alt(() => O.map(({ profile }: AdvertisedState) => profile)(stateIn(advertisement))),
      O.getOrElse((): Profile => 'legacy'),
      (profile) => profileIds[profile],
    );
    return [{ service, characteristics: [write, notify] }];
  },
  open: openDie,
};
