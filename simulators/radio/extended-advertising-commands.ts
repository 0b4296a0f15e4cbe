import { MAX_ADVERTISING_DATA } from '../../src/ble/hci/advertising-data.js';
import type { CommandParameters } from '../../src/ble/hci/commands.js';
import { enabledSet } from '../../src/ble/hci/extended-commands.js';
import { Status } from '../../src/ble/hci/status.js';
import { channelRule, filterPolicyRule, intervalRule } from './advertising-commands.js';
import { TX_POWER, type AdvertisingSet } from './advertising-set.js';
import { ADVERTISING_SETS } from './advertising-sets.js';
import { broken, hex, refuse, type Handlers, type Refusal, type Rule } from './command-handlers.js';
import { NO_RANDOM_ADDRESS, familyRule, ownAddressRules, roomRule } from './command-rules.js';
import type { Controller } from './controller.js';
import { Property, deviceAddress, has, legacyProperties } from './pdu.js';

/** Advertising intervals, in units of 0.625 ms (Core 5.4 Vol 4 Part E 7.8.53). */
const Interval = { min: 0x000020, max: 0xffffff, ms: 0.625 } as const;

/** The most that an advertisement and its chain carry (Core 5.4 Vol 4 Part E 7.8.57). */
export const MAX_EXTENDED_DATA = 1650;
/** A connectable advertisement has no chain: what fits behind flags, AdvA and ADI (Core 5.4 Vol 6 Part B 2.3.4). */
const MAX_CONNECTABLE_DATA = 245;

const MAX_SET = 0xef;
/** The most that one command carries. */
const MAX_PART = 251;
/** High duty cycle directed advertising lasts at most 1.28 s, in units of 10 ms. */
const MAX_HIGH_DUTY_DURATION = 128;

const Operation = { intermediate: 0, first: 1, last: 2, complete: 3, unchanged: 4 } as const;

type Parameters = CommandParameters<'leSetExtendedAdvertisingParameters'>;

const setRule = (set: number): Rule => [
  set <= MAX_SET,
  Status.invalidParameters,
  `Advertising_Handle must be 0x00 to 0xEF, got ${hex(set)}`,
];

const unknownSet = (set: number): Refusal =>
  refuse(Status.unknownAdvertisingSet, `there is no advertising set ${hex(set)}`);

/** Which properties go together (Core 5.4 Vol 4 Part E 7.8.53). */
const propertyRules = (properties: number): readonly Rule[] => {
  const is = (property: number): boolean => has(properties, property);
  const invalid = (holds: boolean, why: string): Rule => [
    holds,
    Status.invalidParameters,
    `${why}, got Advertising_Event_Properties ${hex(properties, 4)}`,
  ];
  return is(Property.legacy)
    ? [
        invalid(
          legacyProperties.includes(properties),
          'legacy PDUs are 0x0013, 0x0015, 0x001D, 0x0012 or 0x0010',
        ),
      ]
    : [
        invalid(properties <= 0x7f, 'bits 7 to 15 are reserved'),
        invalid(
          !(is(Property.connectable) && is(Property.scannable)),
          'extended PDUs are not both connectable and scannable',
        ),
        invalid(!is(Property.highDuty), 'high duty cycle is for legacy PDUs'),
        invalid(
          !(is(Property.anonymous) && (is(Property.connectable) || is(Property.scannable))),
          'anonymous advertising is neither connectable nor scannable',
        ),
      ];
};

const phyRules = ({ properties, primaryPhy, secondaryPhy, sid }: Parameters): readonly Rule[] => {
  const legacy = has(properties, Property.legacy);
  return [
    [
      primaryPhy === 1 || (primaryPhy === 3 && !legacy),
      Status.invalidParameters,
      `Primary_Advertising_PHY must be 0x01, or 0x03 with extended PDUs, got ${hex(primaryPhy)}`,
    ],
    [
      legacy || (secondaryPhy >= 1 && secondaryPhy <= 3),
      Status.invalidParameters,
      `Secondary_Advertising_PHY must be 0x01 to 0x03, got ${hex(secondaryPhy)}`,
    ],
    [
      legacy || sid <= 0x0f,
      Status.invalidParameters,
      `Advertising_SID must be 0x00 to 0x0F, got ${hex(sid)}`,
    ],
  ];
};

const parameterRules = (parameters: Parameters): readonly Rule[] => [
  ...propertyRules(parameters.properties),
  ...(has(parameters.properties, Property.highDuty)
    ? []
    : [intervalRule(parameters.intervalMin, parameters.intervalMax, Interval)]),
  channelRule(parameters.channelMap),
  [
    parameters.peerAddressType <= 1,
    Status.invalidParameters,
    `Peer_Address_Type must be 0x00 or 0x01, got ${hex(parameters.peerAddressType)}`,
  ],
  filterPolicyRule(parameters.filterPolicy),
  ...phyRules(parameters),
  [
    parameters.scanRequestNotification <= 1,
    Status.invalidParameters,
    `Scan_Request_Notification_Enable must be 0x00 or 0x01, got ${hex(parameters.scanRequestNotification)}`,
  ],
  ...ownAddressRules(parameters.ownAddressType),
];

/** How much of a kind of data a set may have. */
const roomIn = (set: AdvertisingSet, kind: 'data' | 'scanResponse'): number => {
  if (set.is(Property.legacy)) {
    const allowed = kind === 'data' ? !set.is(Property.directed) : set.is(Property.scannable);
    return allowed ? MAX_ADVERTISING_DATA : 0;
  }
  if (set.is(Property.scannable) !== (kind === 'scanResponse')) return 0;
  return set.is(Property.connectable) ? MAX_CONNECTABLE_DATA : MAX_EXTENDED_DATA;
};

/** Advertising sets (Core 5.4 Vol 4 Part E 7.8.52 to 7.8.60). */
export const extendedAdvertisingCommands = (controller: Controller) => {
  const { advertising } = controller;
  const family = (): Rule => familyRule(controller, 'extended');

  const setData = (
    kind: 'data' | 'scanResponse',
    {
      set: number,
      operation,
      fragmentPreference,
      length,
      tail,
    }: CommandParameters<'leSetExtendedAdvertisingData'>,
  ): number | Refusal => {
    const shape = broken(family(), setRule(number), [
      tail.length === length && length <= MAX_PART,
      Status.invalidParameters,
      `the length must be that of the data, at most ${MAX_PART}, got ${length} for ${tail.length} bytes`,
    ]);
    if (shape !== undefined) return shape;
    const set = advertising.get(number);
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

  const enableRules = (set: AdvertisingSet, duration: number): readonly Rule[] => [
    [
      controller.ownAddress(set.parameters.ownAddressType, set.randomAddress) !== undefined,
      Status.invalidParameters,
      NO_RANDOM_ADDRESS,
    ],
    [
      !set.is(Property.highDuty) || (duration > 0 && duration <= MAX_HIGH_DUTY_DURATION),
      Status.invalidParameters,
      `high duty cycle directed advertising needs a Duration of 0x0001 to 0x0080, got ${hex(duration, 4)}`,
    ],
    [
      set.parts.data === undefined && set.parts.scanResponse === undefined,
      Status.commandDisallowed,
      'the last part of the data (Operation 0x02) is missing',
    ],
    [
      !set.is(Property.scannable) || set.is(Property.legacy) || set.scanResponse.length > 0,
      Status.commandDisallowed,
      'scannable extended advertising needs a scan response',
    ],
    ...(set.is(Property.connectable) ? [roomRule(controller)] : []),
  ];

  const enable = (
    wanted: readonly { set: number; duration: number; maxEvents: number }[],
  ): number | Refusal => {
    const numbers = new Set(wanted.map(({ set }) => set));
    const refusal = broken(
      [wanted.length > 0, Status.invalidParameters, 'Num_Sets must not be 0 when advertising is enabled'],
      [numbers.size === wanted.length, Status.invalidParameters, 'a set is named twice'],
      ...wanted.map(({ set }) => setRule(set)),
    );
    if (refusal !== undefined) return refusal;
    for (const { set: number, duration } of wanted) {
      const set = advertising.get(number);
      if (set === undefined) return unknownSet(number);
      const wrong = broken(...enableRules(set, duration));
      if (wrong !== undefined) return wrong;
    }
    for (const { set: number, duration, maxEvents } of wanted) {
      const set = advertising.get(number);
      if (set === undefined) continue;
      set.stop();
      set.enabledAs = controller.ownAddress(set.parameters.ownAddressType, set.randomAddress);
      set.maxEvents = maxEvents;
      set.events = 0;
      controller.air.advertising(controller, set, duration * 10);
    }
    return Status.success;
  };

  return {
    leSetAdvertisingSetRandomAddress: ({ set: number, address }) => {
      const set = advertising.get(number);
      if (set === undefined) return broken(family(), setRule(number)) ?? unknownSet(number);
      const refusal = broken(family(), [
        set.enabledAs === undefined || !set.is(Property.connectable),
        Status.commandDisallowed,
        'the address of a connectable set must not change while it advertises',
      ]);
      if (refusal !== undefined) return refusal;
      set.randomAddress = address;
      return Status.success;
    },
    leSetExtendedAdvertisingParameters: (parameters) => {
      const refusal = broken(family(), setRule(parameters.set), ...parameterRules(parameters));
      if (refusal !== undefined) return refusal;
      const set = advertising.make(parameters.set);
      if (set === undefined) {
        return refuse(
          Status.memoryCapacityExceeded,
          `there is room for ${ADVERTISING_SETS} advertising sets`,
        );
      }
      if (set.enabledAs !== undefined) {
        return refuse(Status.commandDisallowed, 'the parameters must not change while the set advertises');
      }
      const { intervalMin, peerAddressType, peerAddress, scanRequestNotification, ...others } = parameters;
      const { properties, ownAddressType, filterPolicy, primaryPhy, secondaryPhy, sid } = others;
      set.parameters = {
        properties,
        ownAddressType,
        filterPolicy,
        primaryPhy,
        secondaryPhy,
        sid,
        interval: intervalMin * Interval.ms,
        target: deviceAddress(peerAddressType, peerAddress),
        tellsScanRequests: scanRequestNotification === 1,
      };
      return { txPower: TX_POWER };
    },
    leSetExtendedAdvertisingData: (parameters) => setData('data', parameters),
    leSetExtendedScanResponseData: (parameters) => setData('scanResponse', parameters),
    leSetExtendedAdvertisingEnable: ({ enable: on, sets, tail }) => {
      const refusal = broken(
        family(),
        [on <= 1, Status.invalidParameters, `Enable must be 0x00 or 0x01, got ${hex(on)}`],
        [
          tail.length === sets * enabledSet.size,
          Status.invalidParameters,
          `Num_Sets is ${sets}, and ${tail.length} bytes follow`,
        ],
      );
      if (refusal !== undefined) return refusal;
      const wanted = Array.from({ length: sets }, (_, at) =>
        enabledSet.read(tail.subarray(at * enabledSet.size)),
      );
      if (on === 1) return enable(wanted);
      const unknown = wanted.find(({ set }) => advertising.get(set) === undefined);
      if (unknown !== undefined) return unknownSet(unknown.set);
      const stopped = sets === 0 ? advertising.all() : wanted.map(({ set }) => advertising.get(set));
      stopped.forEach((set) => set?.stop());
      return Status.success;
    },
    leReadMaximumAdvertisingDataLength: () => broken(family()) ?? { length: MAX_EXTENDED_DATA },
    leReadNumberOfAdvertisingSets: () => broken(family()) ?? { sets: ADVERTISING_SETS },
    leRemoveAdvertisingSet: ({ set: number }) => {
      const set = advertising.get(number);
      if (set === undefined) return broken(family(), setRule(number)) ?? unknownSet(number);
      const refusal = broken(family(), [
        set.enabledAs === undefined,
        Status.commandDisallowed,
        'a set that advertises cannot be removed',
      ]);
      if (refusal !== undefined) return refusal;
      advertising.remove(number);
      return Status.success;
    },
    leClearAdvertisingSets: () => {
      const refusal = broken(family(), [
        advertising.enabled().length === 0,
        Status.commandDisallowed,
        'sets that advertise cannot be removed',
      ]);
      if (refusal !== undefined) return refusal;
      advertising.clear();
      return Status.success;
    },
  } satisfies Partial<Handlers>;
};
