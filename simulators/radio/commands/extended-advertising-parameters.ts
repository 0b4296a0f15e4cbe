import { hexNumber } from '../../../src/bytes/index.js';
import type { CommandParameters } from '../../../src/ble/hci/commands.js';
import { Status } from '../../../src/ble/hci/status.js';
import { channelRule, filterPolicyRule, intervalRule } from './advertising-commands.js';
import { TX_POWER } from '../advertising/advertising-set.js';
import { ADVERTISING_SETS } from '../advertising/advertising-sets.js';
import { check, refuse, type Handlers, type Rule } from '../host/command-handlers.js';
import { familyRule, ownAddressRules, setRule, unknownSet } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { dataFitsRule } from './extended-advertising-data.js';
import { Property, deviceAddress, has, legacyProperties } from '../medium/pdu.js';

/** Advertising intervals, in units of 0.625 ms (Core 5.4 Vol 4 Part E 7.8.53). */
const Interval = { min: 0x000020, max: 0xffffff, ms: 0.625 } as const;

type Parameters = CommandParameters<'leSetExtendedAdvertisingParameters'>;

/** dBm; 127 for no preference (Core 5.4 Vol 4 Part E 7.8.53). */
const TxPower = { min: -127, max: 20, noPreference: 127 } as const;

/** Which properties may be combined (Core 5.4 Vol 4 Part E 7.8.53). */
const propertyRules = (properties: number): readonly Rule[] => {
  const is = (property: number): boolean => has(properties, property);
  const invalid = (holds: boolean, reason: string): Rule => [
    holds,
    Status.invalidParameters,
    () => `${reason}, got Advertising_Event_Properties ${hexNumber(properties, 4)}`,
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
      () => `Primary_Advertising_PHY must be 0x01, or 0x03 with extended PDUs, got ${hexNumber(primaryPhy)}`,
    ],
    [
      legacy || (secondaryPhy >= 1 && secondaryPhy <= 3),
      Status.invalidParameters,
      () => `Secondary_Advertising_PHY must be 0x01 to 0x03, got ${hexNumber(secondaryPhy)}`,
    ],
    [
      legacy || sid <= 0x0f,
      Status.invalidParameters,
      () => `Advertising_SID must be 0x00 to 0x0F, got ${hexNumber(sid)}`,
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
    () => `Peer_Address_Type must be 0x00 or 0x01, got ${hexNumber(parameters.peerAddressType)}`,
  ],
  filterPolicyRule(parameters.filterPolicy),
  [
    (parameters.txPower >= TxPower.min && parameters.txPower <= TxPower.max) ||
      parameters.txPower === TxPower.noPreference,
    Status.invalidParameters,
    () => `Advertising_TX_Power must be -127 to 20, or 127 for no preference, got ${parameters.txPower}`,
  ],
  ...phyRules(parameters),
  [
    parameters.scanRequestNotification <= 1,
    Status.invalidParameters,
    () =>
      `Scan_Request_Notification_Enable must be 0x00 or 0x01, got ${hexNumber(parameters.scanRequestNotification)}`,
  ],
  ...ownAddressRules(parameters.ownAddressType),
];

/** Parameters of sets (Core 5.4 Vol 4 Part E 7.8.52 and 7.8.53). */
export const extendedAdvertisingParameters = ({
  advertising,
  settings,
}: Pick<ControllerParts, 'advertising' | 'settings'>) => {
  const family = (): Rule => familyRule(settings, 'extended');
  return {
    leSetAdvertisingSetRandomAddress: ({ set: number, address }) => {
      const set = advertising.get(number);
      if (set === undefined) return check(family(), setRule(number)) ?? unknownSet(number);
      const refusal = check(family(), [
        set.enabledAs === undefined || !set.is(Property.connectable),
        Status.commandDisallowed,
        () => 'the address of a connectable set must not change while it advertises',
      ]);
      if (refusal !== undefined) return refusal;
      set.randomAddress = address;
      return Status.success;
    },
    leSetExtendedAdvertisingParameters: (parameters) => {
      const refusal = check(family(), setRule(parameters.set), ...parameterRules(parameters));
      if (refusal !== undefined) return refusal;
      const set = advertising.make(parameters.set);
      if (set === undefined) {
        return refuse(
          Status.memoryCapacityExceeded,
          `there is room for ${ADVERTISING_SETS} advertising sets`,
        );
      }
      const unfit = check(
        [
          set.enabledAs === undefined,
          Status.commandDisallowed,
          () => 'the parameters must not change while the set advertises',
        ],
        dataFitsRule(set, parameters.properties),
      );
      if (unfit !== undefined) return unfit;
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
        scanRequestNotification: scanRequestNotification === 1,
      };
      return { txPower: TX_POWER };
    },
  } satisfies Partial<Handlers>;
};
