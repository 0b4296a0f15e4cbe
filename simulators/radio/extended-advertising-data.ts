import { MAX_ADVERTISING_DATA } from '../../src/ble/hci/advertising-data.js';
import type { CommandParameters } from '../../src/ble/hci/commands.js';
import { Status } from '../../src/ble/hci/status.js';
import type { AdvertisingSet } from './advertising-set.js';
import { broken, type Handlers, type Refusal } from './command-handlers.js';
import { familyRule, setRule, unknownSet } from './command-rules.js';
import type { Controller } from './controller.js';
import { Property } from './pdu.js';

/** The most that an advertisement and its chain carry (Core 5.4 Vol 4 Part E 7.8.57). */
export const MAX_EXTENDED_DATA = 1650;
/** A connectable advertisement has no chain: what fits behind flags, AdvA and ADI (Core 5.4 Vol 6 Part B 2.3.4). */
const MAX_CONNECTABLE_DATA = 245;

/** The most that one command carries. */
const MAX_PART = 251;
const Operation = { intermediate: 0, first: 1, last: 2, complete: 3, unchanged: 4 } as const;

/** How much of a kind of data a set may have. */
const roomIn = (set: AdvertisingSet, kind: 'data' | 'scanResponse'): number => {
  if (set.is(Property.legacy)) {
    const allowed = kind === 'data' ? !set.is(Property.directed) : set.is(Property.scannable);
    return allowed ? MAX_ADVERTISING_DATA : 0;
  }
  if (set.is(Property.scannable) !== (kind === 'scanResponse')) return 0;
  return set.is(Property.connectable) ? MAX_CONNECTABLE_DATA : MAX_EXTENDED_DATA;
};

const setData = (
  controller: Controller,
  kind: 'data' | 'scanResponse',
  {
    set: number,
    operation,
    fragmentPreference,
    length,
    tail,
  }: CommandParameters<'leSetExtendedAdvertisingData'>,
): number | Refusal => {
  const shape = broken(familyRule(controller, 'extended'), setRule(number), [
    tail.length === length && length <= MAX_PART,
    Status.invalidParameters,
    `the length must be that of the data, at most ${MAX_PART}, got ${length} for ${tail.length} bytes`,
  ]);
  if (shape !== undefined) return shape;
  const set = controller.advertising.get(number);
  if (set === undefined) return unknownSet(number);
  const begun = set.parts[kind];
  const fresh = operation === Operation.first || operation === Operation.complete;
  const continued = operation === Operation.intermediate || operation === Operation.last;
  const data = continued && begun !== undefined ? Buffer.concat([begun, tail]) : tail;
  const enabled = set.enabledAs !== undefined;
  const room = roomIn(set, kind);
  const refusal = broken(
    [
      operation <= 4 && fragmentPreference <= 1,
      Status.invalidParameters,
      'Operation must be 0x00 to 0x04, Fragment_Preference 0x00 or 0x01',
    ],
    [
      length > 0 || !(continued || operation === Operation.first),
      Status.invalidParameters,
      'a part of data must not be empty',
    ],
    [
      operation === Operation.complete || !set.is(Property.legacy),
      Status.invalidParameters,
      'data of legacy PDUs comes in one piece (Operation 0x03)',
    ],
    [
      operation !== Operation.unchanged ||
        (kind === 'data' && enabled && set.data.length > 0 && length === 0),
      Status.invalidParameters,
      'only the data of a set that advertises can stay unchanged (Operation 0x04), and no bytes come with it',
    ],
    [
      !continued || begun !== undefined,
      Status.commandDisallowed,
      'the first part (Operation 0x01) has to come first',
    ],
    [
      !enabled || operation === Operation.complete || operation === Operation.unchanged,
      Status.commandDisallowed,
      'while the set advertises, its data comes in one piece (Operation 0x03)',
    ],
    [
      data.length === 0 || room > 0,
      Status.invalidParameters,
      `this kind of advertising has no ${kind === 'data' ? 'advertising data' : 'scan response'}`,
    ],
    [
      data.length <= room,
      set.is(Property.legacy) ? Status.invalidParameters : Status.memoryCapacityExceeded,
      `there is room for ${room} bytes, got ${data.length}`,
    ],
  );
  if (refusal !== undefined) return refusal;
  if (operation === Operation.unchanged) {
    set.set('data', set.data);
    return Status.success;
  }
  const whole = operation === Operation.complete || operation === Operation.last;
  if (whole) set.set(kind, data);
  if (whole) Reflect.deleteProperty(set.parts, kind);
  else if (fresh || continued) set.parts[kind] = data;
  return Status.success;
};

/** What a set carries, in one piece or in several (Core 5.4 Vol 4 Part E 7.8.54, 7.8.55 and 7.8.57). */
export const extendedAdvertisingData = (controller: Controller) =>
  ({
    leSetExtendedAdvertisingData: (parameters) => setData(controller, 'data', parameters),
    leSetExtendedScanResponseData: (parameters) => setData(controller, 'scanResponse', parameters),
    leReadMaximumAdvertisingDataLength: () =>
      broken(familyRule(controller, 'extended')) ?? { length: MAX_EXTENDED_DATA },
  }) satisfies Partial<Handlers>;
