import { hexNumber } from '../../../src/bytes/index.js';
import { MAX_ADVERTISING_DATA } from '../../ble/advertising-data.js';
import { TX_POWER } from '../advertising/advertising-set.js';
import { allowed, done, valid, type Handlers, type Refusal } from '../host/command-handlers.js';
import { familyRule, knownAddressRule, ownAddressRule, rangeRule, roomRule } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { Property, deviceAddress, has, legacyProperties } from '../medium/pdu.js';

/** Advertising intervals, in units of 0.625 ms (Core 5.4 Vol 4 Part E 7.8.5). */
const Interval = { min: 0x0020, max: 0x4000, ms: 0.625 } as const;
const CHANNELS = 0b111;

/** The parameters that legacy and extended advertising have in common. */
interface CommonParameters {
  readonly intervalMin: number;
  readonly intervalMax: number;
  readonly channelMap: number;
  readonly peerAddressType: number;
  readonly filterPolicy: number;
}

/** `limits`: of the interval, which high duty cycle advertising does not use. */
export const commonRules = (
  properties: number,
  { intervalMin: min, intervalMax: max, channelMap, peerAddressType, filterPolicy }: CommonParameters,
  limits: { readonly min: number; readonly max: number },
): Refusal | undefined =>
  valid(
    has(properties, Property.highDuty) || (min >= limits.min && min <= max && max <= limits.max),
    `the advertising interval must be ${hexNumber(limits.min, 4)} to ${hexNumber(limits.max, 4)} and its minimum at most its maximum, got ${hexNumber(min, 4)} to ${hexNumber(max, 4)}`,
  ) ??
  valid(
    channelMap !== 0 && (channelMap & ~CHANNELS) === 0,
    `Advertising_Channel_Map must name some of the channels 37 to 39 (0x01 to 0x07), got ${hexNumber(channelMap)}`,
  ) ??
  rangeRule('Peer_Address_Type', peerAddressType, [0, 1]) ??
  rangeRule('Advertising_Filter_Policy', filterPolicy, [0, 3]);

export const advertisingCommands = ({
  advertising,
  channels,
  scanner,
  initiator,
  settings,
  privacy,
  links,
}: ControllerParts) => {
  const { legacy: set } = advertising;
  const family = (): Refusal | undefined => familyRule(settings, 'legacy');
  const setData = (kind: 'data' | 'scanResponse', length: number, data: Buffer): number | Refusal =>
    family() ??
    valid(
      length <= MAX_ADVERTISING_DATA,
      `the data must be at most ${MAX_ADVERTISING_DATA} bytes, got ${length}`,
    ) ??
    done(() => set.set(kind, data.subarray(0, length)));
  const enable = (): number | Refusal => {
    const addresses = privacy.addressesOf(set);
    return (
      knownAddressRule(addresses) ??
      (set.is(Property.connectable) ? roomRule(links) : undefined) ??
      done(() => {
        set.addresses = addresses;
        channels.advertise(set, 0);
      })
    );
  };
  return {
    leSetRandomAddress: ({ address }) =>
      allowed(
        !set.enabled && !scanner.enabled && initiator.attempt === undefined,
        'the random address must not change while advertising, scanning or initiating',
      ) ?? done(() => (settings.randomAddress = address)),
    leSetAdvertisingParameters: (parameters) => {
      const { type, intervalMin, ownAddressType, filterPolicy } = parameters;
      const properties = legacyProperties[type] ?? 0;
      return (
        family() ??
        allowed(!set.enabled, 'the parameters must not change while advertising') ??
        valid(properties !== 0, `Advertising_Type must be 0x00 to 0x04, got ${hexNumber(type)}`) ??
        commonRules(properties, parameters, Interval) ??
        ownAddressRule(ownAddressType) ??
        done(() => {
          set.parameters = {
            ...set.parameters,
            properties,
            interval: intervalMin * Interval.ms,
            ownAddressType,
            target: deviceAddress(parameters.peerAddressType, parameters.peerAddress),
            filterPolicy,
          };
        })
      );
    },
    leReadAdvertisingTxPower: () => family() ?? { txPower: TX_POWER },
    leSetAdvertisingData: ({ length, data }) => setData('data', length, data),
    leSetScanResponseData: ({ length, data }) => setData('scanResponse', length, data),
    leSetAdvertisingEnable: ({ enable: on }) => {
      const mixed = family();
      return (
        rangeRule('Advertising_Enable', on, [0, 1]) ?? mixed ?? (on === 0 ? done(() => set.stop()) : enable())
      );
    },
  } satisfies Partial<Handlers>;
};
