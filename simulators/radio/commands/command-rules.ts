/** Rules that several commands share: each is the refusal of a command that breaks it. */
import { hexNumber } from '../../../src/bytes/index.js';
import { Status } from '../../../src/ble/hci/status.js';
import type { AdvertisingSet } from '../advertising/advertising-set.js';
import type { AdvertisingSets } from '../advertising/advertising-sets.js';
import { allowed, refuse, valid, type Refusal } from '../host/command-handlers.js';
import type { CommandSet, HostSettings } from '../host/host-settings.js';
import type { LinkEnd } from '../connections/link.js';
import type { Links } from '../connections/links.js';

/** Legacy and extended commands must not be mixed between two resets (Core 5.4 Vol 4 Part E 3.1.1). */
export const familyRule = (settings: HostSettings, family: CommandSet): Refusal | undefined => {
  settings.commandSet ??= family;
  return allowed(
    settings.commandSet === family,
    'legacy and extended advertising commands must not be mixed between two resets (3.1.1)',
  );
};

/** A parameter from `min` to `max`; `digits`: of the hexadecimal numbers in the message. */
export const rangeRule = (
  name: string,
  value: number,
  [min, max]: readonly [min: number, max: number],
  digits = 2,
): Refusal | undefined => {
  const [least, most, actual] = [min, max, value].map((number) => hexNumber(number, digits));
  const range = `${least} ${max === min + 1 ? 'or' : 'to'} ${most}`;
  return valid(value >= min && value <= max, `${name} must be ${range}, got ${actual}`);
};

/** Types 2 and 3 are a private address or, without a local key for the peer, the public or the random address. */
export const ownAddressRule = (type: number): Refusal | undefined =>
  rangeRule('Own_Address_Type', type, [0, 3]);

/** `own`: the own address; undefined if it is the random address, which was never set. */
export const knownAddressRule = (own: object | undefined): Refusal | undefined =>
  valid(own !== undefined, 'Own_Address_Type is random, and the random address was never set');

export const roomRule = (links: Links): Refusal | undefined =>
  links.full ? refuse(Status.connectionLimitExceeded, `there is room for ${links.max} links`) : undefined;

export const unknownLink = (handle: number): Refusal => ({
  ...refuse(Status.unknownConnection, `there is no link with Connection_Handle ${hexNumber(handle, 4)}`),
  handle,
});

/** A handler of a command on a link: `task` carries it out at the host's end. */
export const onLink =
  <P extends { readonly handle: number }, A>(links: Links, task: (end: LinkEnd, parameters: P) => A) =>
  (parameters: P): A | Refusal => {
    const end = links.get(parameters.handle);
    return end === undefined ? unknownLink(parameters.handle) : task(end, parameters);
  };

/** Advertising_Handle (Core 5.4 Vol 4 Part E 7.8.53). */
const MAX_SET = 0xef;

export const setRule = (set: number): Refusal | undefined =>
  rangeRule('Advertising_Handle', set, [0, MAX_SET]);

/** The answer of a command on an advertising set, which `task` carries out. */
export const onSet = <A>(
  sets: AdvertisingSets,
  number: number,
  task: (set: AdvertisingSet) => A,
): A | Refusal => {
  const set = sets.get(number);
  if (set !== undefined) return task(set);
  return (
    setRule(number) ??
    refuse(Status.unknownAdvertisingSet, `there is no advertising set ${hexNumber(number)}`)
  );
};
