import { hexNumber } from '../../../src/bytes/index.js';
import { MAX_ADVERTISING_DATA } from '../../ble/advertising-data.js';
import { Status } from '../../../src/ble/hci/status.js';
import { TX_POWER } from '../advertising/advertising-set.js';
import { check, refuse, type Handlers, type Rule } from '../host/command-handlers.js';
import { NO_RANDOM_ADDRESS, familyRule, ownAddressRules, roomRule } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { Property, deviceAddress, has, legacyProperties } from '../medium/pdu.js';

/** Advertising intervals, in units of 0.625 ms (Core 5.4 Vol 4 Part E 7.8.5). */
const Interval = { min: 0x0020, max: 0x4000, ms: 0.625 } as const;
const CHANNELS = 0b111;

export const channelRule = (channelMap: number): Rule => [
  channelMap !== 0 && (channelMap & ~CHANNELS) === 0,
  Status.invalidParameters,
  () =>
    `Advertising_Channel_Map must name some of the channels 37 to 39 (0x01 to 0x07), got ${hexNumber(channelMap)}`,
];

export const filterPolicyRule = (policy: number): Rule => [
  policy <= 3,
  Status.invalidParameters,
  () => `Advertising_Filter_Policy must be 0x00 to 0x03, got ${hexNumber(policy)}`,
];

export const intervalRule = (min: number, max: number, limits: { min: number; max: number }): Rule => [
  min >= limits.min && min <= max && max <= limits.max,
  Status.invalidParameters,
  () =>
    `the advertising interval must be ${hexNumber(limits.min, 4)} to ${hexNumber(limits.max, 4)} and its minimum at most its maximum, got ${hexNumber(min, 4)} to ${hexNumber(max, 4)}`,
];

/** Legacy advertising. */
export const advertisingCommands = (
  parts: Pick<
    ControllerParts,
    'advertising' | 'channels' | 'scanner' | 'initiator' | 'settings' | 'ownAddress' | 'links'
  >,
) => {
  const { advertising, channels, scanner, initiator, settings, ownAddress, links } = parts;
  const { legacy: set } = advertising;
  const family = (): Rule => familyRule(settings, 'legacy');
  const fits = (length: number): Rule => [
    length <= MAX_ADVERTISING_DATA,
    Status.invalidParameters,
    () => `the data must be at most ${MAX_ADVERTISING_DATA} bytes, got ${length}`,
  ];
  return {
    leSetRandomAddress: ({ address }) => {
      const busy = set.enabledAs !== undefined || scanner.enabled || initiator.attempt !== undefined;
      const refusal = check([
        !busy,
        Status.commandDisallowed,
        () => 'the random address must not change while advertising, scanning or initiating',
      ]);
      if (refusal !== undefined) return refusal;
      settings.randomAddress = address;
      return Status.success;
    },
    leSetAdvertisingParameters: (parameters) => {
      const { intervalMin, intervalMax, ownAddressType, filterPolicy } = parameters;
      const properties = legacyProperties[parameters.type] ?? 0;
      const anyInterval = has(properties, Property.highDuty);
      const refusal = check(
        family(),
        [
          set.enabledAs === undefined,
          Status.commandDisallowed,
          () => 'the parameters must not change while advertising',
        ],
        [
          properties !== 0,
          Status.invalidParameters,
          () => `Advertising_Type must be 0x00 to 0x04, got ${hexNumber(parameters.type)}`,
        ],
        ...(anyInterval ? [] : [intervalRule(intervalMin, intervalMax, Interval)]),
        channelRule(parameters.channelMap),
        [
          parameters.peerAddressType <= 1,
          Status.invalidParameters,
          () => `Peer_Address_Type must be 0x00 or 0x01, got ${hexNumber(parameters.peerAddressType)}`,
        ],
        filterPolicyRule(filterPolicy),
        ...ownAddressRules(ownAddressType),
      );
      if (refusal !== undefined) return refusal;
      set.parameters = {
        ...set.parameters,
        properties,
        interval: intervalMin * Interval.ms,
        ownAddressType,
        target: deviceAddress(parameters.peerAddressType, parameters.peerAddress),
        filterPolicy,
      };
      return Status.success;
    },
    leReadAdvertisingTxPower: () => check(family()) ?? { txPower: TX_POWER },
    leSetAdvertisingData: ({ length, data }) => {
      const refusal = check(family(), fits(length));
      if (refusal !== undefined) return refusal;
      set.set('data', data.subarray(0, length));
      return Status.success;
    },
    leSetScanResponseData: ({ length, data }) => {
      const refusal = check(family(), fits(length));
      if (refusal !== undefined) return refusal;
      set.set('scanResponse', data.subarray(0, length));
      return Status.success;
    },
    leSetAdvertisingEnable: ({ enable }) => {
      const own = ownAddress(set.parameters.ownAddressType);
      const refusal = check(
        [
          enable <= 1,
          Status.invalidParameters,
          () => `Advertising_Enable must be 0x00 or 0x01, got ${hexNumber(enable)}`,
        ],
        family(),
      );
      if (refusal !== undefined) return refusal;
      if (enable === 0) {
        set.stop();
        return Status.success;
      }
      if (own === undefined) {
        return refuse(Status.invalidParameters, NO_RANDOM_ADDRESS);
      }
      const crowded = set.is(Property.connectable) ? check(roomRule(links)) : undefined;
      if (crowded !== undefined) return crowded;
      set.enabledAs = own;
      channels.advertise(set, 0);
      return Status.success;
    },
  } satisfies Partial<Handlers>;
};
