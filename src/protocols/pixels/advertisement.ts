/** Manufacturer data and service data of advertisements (docs/pixels-protocol.md §2). */
import * as E from 'fp-ts/lib/Either.js';
import { countBytes, hexNumber, layout, u16, u32, type Field } from '../../bytes/index.js';
import { parseFailure, type ParseError } from '../../codecs/parse-error.js';
import { DIE_TYPES, type Colorway, type DieType } from './die-type.js';
import { byte, colorwayCode, colorwayOf, rollState, unixTime, type RollState } from './fields.js';
import { PROFILES, profileIds, type Profile } from './gatt.js';

/** The advertised state of a die. */
export interface AdvertisedState {
  readonly profile: Profile;
  readonly ledCount: number;
  /** `unknown` if the colorway is `custom`. */
  readonly dieType: DieType;
  readonly colorway: Colorway | null;
  readonly rollState: RollState;
  readonly faceIndex: number;
  /** Per cent, 0 to 100. */
  readonly battery: number;
  /** On the charger, full or not. */
  readonly charging: boolean;
}

/** The advertised identity of a die, in scan responses: only an active scan receives it. */
export interface AdvertisedIdentity {
  /** 32 bits. */
  readonly pixelId: number;
  /** The time of the firmware's build, in whole seconds. */
  readonly builtAt: Date;
}

interface Design {
  readonly dieType: DieType;
  readonly colorway: Colorway | null;
}

/** Type and colorway, 4 bits each. The colorway `custom` takes all 8, and the type is lost. */
const design: Field<Design> = {
  size: 1,
  read: (from, offset) => {
    const both = from.readUInt8(offset);
    const custom = colorwayOf(both) === 'custom';
    return {
      dieType: (custom ? undefined : DIE_TYPES[both >> 4]) ?? 'unknown',
      colorway: colorwayOf(custom ? both : both & 0x0f),
    };
  },
  write: (to, offset, value) =>
    void to.writeUInt8((DIE_TYPES.indexOf(value.dieType) << 4) | colorwayCode(value.colorway), offset),
};

const CHARGING = 0x80;

interface Power {
  readonly battery: number;
  readonly charging: boolean;
}

const power: Field<Power> = {
  size: 1,
  read: (from, offset) => {
    const both = from.readUInt8(offset);
    return { battery: both & ~CHARGING, charging: (both & CHARGING) !== 0 };
  },
  write: (to, offset, { battery, charging }) =>
    void to.writeUInt8(battery | (charging ? CHARGING : 0), offset),
  problem: (from, offset) => {
    const battery = from.readUInt8(offset) & ~CHARGING;
    return battery > 100 ? `the battery level must be 0 to 100, got ${battery}` : undefined;
  },
};

const manufacturerData = layout({
  companyId: u16,
  ledCount: byte,
  design,
  rollState,
  faceIndex: byte,
  power,
});

const serviceData = layout({ pixelId: u32, builtAt: unixTime });

const tooShort = (part: string, least: number, { length }: Buffer): E.Either<ParseError, never> =>
  parseFailure(`${part} must have at least ${countBytes(least)}, got ${length}`);

/** `bytes`: the company id first. Left: another company id, too short, or a value without meaning. */
export const decodeManufacturerData = (bytes: Buffer): E.Either<ParseError, AdvertisedState> => {
  if (bytes.length < manufacturerData.size)
    return tooShort('manufacturer data', manufacturerData.size, bytes);
  const { companyId, design: ofDie, power: ofBattery, ...state } = manufacturerData.read(bytes);
  const profile = PROFILES.find((candidate) => profileIds[candidate].companyId === companyId);
  if (profile === undefined) {
    return parseFailure(`no dice of this maker have the company id ${hexNumber(companyId, 4)}`);
  }
  const problem = manufacturerData.problem(bytes);
  return problem === undefined
    ? E.right({ profile, ...state, ...ofDie, ...ofBattery })
    : parseFailure(problem);
};

export const encodeManufacturerData = (state: AdvertisedState): Buffer =>
  manufacturerData.write({
    ...state,
    companyId: profileIds[state.profile].companyId,
    design: state,
    power: state,
  });

/** `bytes`: without the UUID (`SERVICE_DATA_UUID`). Left: too short. */
export const decodeServiceData = (bytes: Buffer): E.Either<ParseError, AdvertisedIdentity> =>
  bytes.length < serviceData.size
    ? tooShort('service data', serviceData.size, bytes)
    : E.right(serviceData.read(bytes));

export const encodeServiceData = (identity: AdvertisedIdentity): Buffer => serviceData.write(identity);

/** The factory name of a die. */
export const defaultName = (pixelId: number): string => `Pixel${pixelId.toString(16).padStart(8, '0')}`;
