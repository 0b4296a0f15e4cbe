import { MAX_ADVERTISING_DATA } from '../../ble/advertising-data.js';
import type { CommandParameters } from '../../../src/ble/hci/commands.js';
import { Status } from '../../../src/ble/hci/status.js';
import type { AdvertisingSet } from '../advertising/advertising-set.js';
import { allowed, done, refuse, valid, type Handlers, type Refusal } from '../host/command-handlers.js';
import { familyRule, onSet, setRule } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { Property, has } from '../medium/pdu.js';

/** The maximum data of an advertisement with its chain (Core 5.4 Vol 4 Part E 7.8.57). */
const MAX_EXTENDED_DATA = 1650;
/** A connectable advertisement has no chain: the room behind flags, AdvA and ADI (Core 5.4 Vol 6 Part B 2.3.4). */
const MAX_CONNECTABLE_DATA = 245;

/** The maximum data of one command. */
const MAX_PART = 251;
const Operation = { intermediate: 0, first: 1, last: 2, complete: 3, unchanged: 4 } as const;

type Kind = 'data' | 'scanResponse';
type Part = CommandParameters<'leSetExtendedAdvertisingData'>;

/** The maximum length of a kind of data with these properties, octets. */
const roomFor = (properties: number, kind: Kind): number => {
  const is = (property: number): boolean => has(properties, property);
  if (is(Property.legacy)) {
    const allowed = kind === 'data' ? !is(Property.directed) : is(Property.scannable);
    return allowed ? MAX_ADVERTISING_DATA : 0;
  }
  if (is(Property.scannable) !== (kind === 'scanResponse')) return 0;
  return is(Property.connectable) ? MAX_CONNECTABLE_DATA : MAX_EXTENDED_DATA;
};

/** The data of a set must be allowed with its new properties (Core 5.4 Vol 4 Part E 7.8.53). */
export const dataFitsRule = (
  { data, scanResponse }: AdvertisingSet,
  properties: number,
): Refusal | undefined =>
  valid(
    data.length <= roomFor(properties, 'data') && scanResponse.length <= roomFor(properties, 'scanResponse'),
    'the set has data that this kind of advertising cannot carry',
  );

/** The order and length of parts (Core 5.4 Vol 4 Part E 7.8.54). */
const partRules = (set: AdvertisingSet, kind: Kind, part: Part): Refusal | undefined => {
  const { operation, fragmentPreference, length } = part;
  const { enabled } = set;
  const complete = operation === Operation.complete;
  const unchanged = operation === Operation.unchanged;
  const continued = operation === Operation.intermediate || operation === Operation.last;
  const room = roomFor(set.parameters.properties, kind);
  return (
    valid(
      operation <= 4 && fragmentPreference <= 1,
      'Operation must be 0x00 to 0x04, Fragment_Preference 0x00 or 0x01',
    ) ??
    valid(length > 0 || complete || unchanged, 'a part of data must not be empty') ??
    valid(complete || !set.is(Property.legacy), 'data of legacy PDUs comes in one piece (Operation 0x03)') ??
    valid(
      length === 0 || room > 0,
      `this kind of advertising has no ${kind === 'data' ? 'advertising data' : 'scan response'}`,
    ) ??
    valid(!set.is(Property.legacy) || length <= room, `there is room for ${room} bytes, got ${length}`) ??
    valid(
      !unchanged || (kind === 'data' && enabled && set.data.length > 0 && length === 0),
      'only the data of a set that advertises can stay unchanged (Operation 0x04), and no bytes come with it',
    ) ??
    allowed(!continued || set.parts[kind] !== undefined, 'the first part (Operation 0x01) must come first') ??
    allowed(
      !enabled || complete || unchanged,
      'while the set advertises, its data comes in one piece (Operation 0x03)',
    )
  );
};

const takePart = (set: AdvertisingSet, kind: Kind, { operation, tail }: Part): number | Refusal => {
  if (operation === Operation.unchanged) return done(() => set.set('data', set.data));
  const begins = operation === Operation.first || operation === Operation.complete;
  const data = Buffer.concat([begins ? Buffer.alloc(0) : (set.parts[kind] ?? Buffer.alloc(0)), tail]);
  // The old data is discarded, even if the new is refused (Core 5.4 Vol 4 Part E 7.8.54).
  set.set(kind, Buffer.alloc(0));
  set.parts[kind] = undefined;
  const room = roomFor(set.parameters.properties, kind);
  if (data.length > room) {
    return refuse(Status.memoryCapacityExceeded, `there is room for ${room} bytes, got ${data.length}`);
  }
  return done(() => {
    if (operation === Operation.complete || operation === Operation.last) set.set(kind, data);
    else set.parts[kind] = data;
  });
};

/** Data of sets, in one part or several (Core 5.4 Vol 4 Part E 7.8.54, 7.8.55 and 7.8.57). */
export const extendedAdvertisingData = ({ advertising, settings }: ControllerParts) => {
  const setData = (kind: Kind, part: Part): number | Refusal =>
    familyRule(settings, 'extended') ??
    setRule(part.set) ??
    valid(
      part.tail.length === part.length && part.length <= MAX_PART,
      `the length must be that of the data, at most ${MAX_PART}, got ${part.length} for ${part.tail.length} bytes`,
    ) ??
    onSet(advertising, part.set, (set) => partRules(set, kind, part) ?? takePart(set, kind, part));
  return {
    leSetExtendedAdvertisingData: (part) => setData('data', part),
    leSetExtendedScanResponseData: (part) => setData('scanResponse', part),
    leReadMaximumAdvertisingDataLength: () =>
      familyRule(settings, 'extended') ?? { length: MAX_EXTENDED_DATA },
  } satisfies Partial<Handlers>;
};
