import { MAX_ADVERTISING_DATA } from '../../ble/advertising-data.js';
import type { CommandParameters } from '../../../src/ble/hci/commands.js';
import { Status } from '../../../src/ble/hci/status.js';
import type { AdvertisingSet } from '../advertising/advertising-set.js';
import { check, refuse, type Handlers, type Refusal, type Rule } from '../host/command-handlers.js';
import { familyRule, setRule, unknownSet } from './command-rules.js';
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
export const dataFitsRule = ({ data, scanResponse }: AdvertisingSet, properties: number): Rule => [
  data.length <= roomFor(properties, 'data') && scanResponse.length <= roomFor(properties, 'scanResponse'),
  Status.invalidParameters,
  () => 'the set has data that this kind of advertising cannot carry',
];

/** The order and length of parts (Core 5.4 Vol 4 Part E 7.8.54). */
const partRules = (set: AdvertisingSet, kind: Kind, part: Part): readonly Rule[] => {
  const { operation, fragmentPreference, length } = part;
  const enabled = set.enabledAs !== undefined;
  const complete = operation === Operation.complete;
  const unchanged = operation === Operation.unchanged;
  const continued = operation === Operation.intermediate || operation === Operation.last;
  const room = roomFor(set.parameters.properties, kind);
  return [
    [
      operation <= 4 && fragmentPreference <= 1,
      Status.invalidParameters,
      () => 'Operation must be 0x00 to 0x04, Fragment_Preference 0x00 or 0x01',
    ],
    [length > 0 || complete || unchanged, Status.invalidParameters, () => 'a part of data must not be empty'],
    [
      complete || !set.is(Property.legacy),
      Status.invalidParameters,
      () => 'data of legacy PDUs comes in one piece (Operation 0x03)',
    ],
    [
      length === 0 || room > 0,
      Status.invalidParameters,
      () => `this kind of advertising has no ${kind === 'data' ? 'advertising data' : 'scan response'}`,
    ],
    [
      !set.is(Property.legacy) || length <= room,
      Status.invalidParameters,
      () => `there is room for ${room} bytes, got ${length}`,
    ],
    [
      !unchanged || (kind === 'data' && enabled && set.data.length > 0 && length === 0),
      Status.invalidParameters,
      () =>
        'only the data of a set that advertises can stay unchanged (Operation 0x04), and no bytes come with it',
    ],
    [
      !continued || set.parts[kind] !== undefined,
      Status.commandDisallowed,
      () => 'the first part (Operation 0x01) has to come first',
    ],
    [
      !enabled || complete || unchanged,
      Status.commandDisallowed,
      () => 'while the set advertises, its data comes in one piece (Operation 0x03)',
    ],
  ];
};

type Parts = Pick<ControllerParts, 'advertising' | 'settings'>;

const setData = ({ advertising, settings }: Parts, kind: Kind, part: Part): number | Refusal => {
  const { set: number, operation, length, tail } = part;
  const shape = check(familyRule(settings, 'extended'), setRule(number), [
    tail.length === length && length <= MAX_PART,
    Status.invalidParameters,
    () => `the length must be that of the data, at most ${MAX_PART}, got ${length} for ${tail.length} bytes`,
  ]);
  if (shape !== undefined) return shape;
  const set = advertising.get(number);
  if (set === undefined) return unknownSet(number);
  const misplaced = check(...partRules(set, kind, part));
  if (misplaced !== undefined) return misplaced;
  if (operation === Operation.unchanged) {
    set.set('data', set.data);
    return Status.success;
  }
  const begins = operation === Operation.first || operation === Operation.complete;
  // The old data is discarded, even if the new is refused (Core 5.4 Vol 4 Part E 7.8.54).
  if (begins) set.set(kind, Buffer.alloc(0));
  const data = Buffer.concat([begins ? Buffer.alloc(0) : (set.parts[kind] ?? Buffer.alloc(0)), tail]);
  Reflect.deleteProperty(set.parts, kind);
  const room = roomFor(set.parameters.properties, kind);
  if (data.length > room) {
    return refuse(Status.memoryCapacityExceeded, `there is room for ${room} bytes, got ${data.length}`);
  }
  if (operation === Operation.complete || operation === Operation.last) set.set(kind, data);
  else set.parts[kind] = data;
  return Status.success;
};

/** Data of sets, in one part or several (Core 5.4 Vol 4 Part E 7.8.54, 7.8.55 and 7.8.57). */
export const extendedAdvertisingData = (parts: Parts) =>
  ({
    leSetExtendedAdvertisingData: (parameters) => setData(parts, 'data', parameters),
    leSetExtendedScanResponseData: (parameters) => setData(parts, 'scanResponse', parameters),
    leReadMaximumAdvertisingDataLength: () =>
      check(familyRule(parts.settings, 'extended')) ?? { length: MAX_EXTENDED_DATA },
  }) satisfies Partial<Handlers>;
