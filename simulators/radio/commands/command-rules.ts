/** Rules that several commands share. */
import { hexNumber } from '../../../src/bytes/index.js';
import { Status } from '../../../src/ble/hci/status.js';
import { refuse, type Refusal, type Rule } from '../host/command-handlers.js';
import type { CommandSet, HostSettings } from '../host/host-settings.js';
import type { Links } from '../connections/links.js';

/** Legacy and extended commands must not be mixed between two resets (Core 5.4 Vol 4 Part E 3.1.1). */
export const familyRule = (settings: HostSettings, family: CommandSet): Rule => {
  settings.commandSet ??= family;
  return [
    settings.commandSet === family,
    Status.commandDisallowed,
    () => 'legacy and extended advertising commands must not be mixed between two resets (3.1.1)',
  ];
};

/** Own addresses may be public or random; there is no resolving list. */
export const ownAddressRules = (type: number): readonly Rule[] => [
  [
    type <= 3,
    Status.invalidParameters,
    () => `Own_Address_Type must be 0x00 to 0x03, got ${hexNumber(type)}`,
  ],
  [
    type <= 1,
    Status.unsupportedFeature,
    () => `Own_Address_Type ${hexNumber(type)} needs LL privacy, which the features do not offer`,
  ],
];

export const NO_RANDOM_ADDRESS = 'Own_Address_Type is random, and the random address was never set';

/** Room for one more link. */
export const roomRule = (links: Links): Rule => [
  !links.full,
  Status.connectionLimitExceeded,
  () => `there is room for ${links.max} links`,
];

export const unknownLink = (handle: number): Refusal => ({
  ...refuse(Status.unknownConnection, `there is no link with Connection_Handle ${hexNumber(handle, 4)}`),
  handle,
});

/** Advertising_Handle (Core 5.4 Vol 4 Part E 7.8.53). */
const MAX_SET = 0xef;

export const setRule = (set: number): Rule => [
  set <= MAX_SET,
  Status.invalidParameters,
  () => `Advertising_Handle must be 0x00 to 0xEF, got ${hexNumber(set)}`,
];

export const unknownSet = (set: number): Refusal =>
  refuse(Status.unknownAdvertisingSet, `there is no advertising set ${hexNumber(set)}`);
