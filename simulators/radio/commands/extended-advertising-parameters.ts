import { hexNumber } from '../../../src/bytes/index.js';
import type { CommandParameters } from '../../../src/ble/hci/commands.js';
import { Status } from '../../../src/ble/hci/status.js';
import { commonRules } from './advertising-commands.js';
import { TX_POWER, type AdvertisingSet } from '../advertising/advertising-set.js';
import { ADVERTISING_SETS } from '../advertising/advertising-sets.js';
import { allowed, done, refuse, valid, type Handlers, type Refusal } from '../host/command-handlers.js';
import { familyRule, onSet, ownAddressRule, rangeRule, setRule } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { dataFitsRule } from './extended-advertising-data.js';
import { Property, deviceAddress, has, legacyProperties } from '../medium/pdu.js';

/** Advertising intervals, in units of 0.625 ms (Core 5.4 Vol 4 Part E 7.8.53). */
const Interval = { min: 0x000020, max: 0xffffff, ms: 0.625 } as const;

type Parameters = CommandParameters<'leSetExtendedAdvertisingParameters'>;

/** dBm; 127 for no preference (Core 5.4 Vol 4 Part E 7.8.53). */
const TxPower = { min: -127, max: 20, noPreference: 127 } as const;

/** The allowed combinations of properties (Core 5.4 Vol 4 Part E 7.8.53). */
const propertyRules = (properties: number): Refusal | undefined => {
  const is = (property: number): boolean => has(properties, property);
  const combined = (holds: boolean, reason: string): Refusal | undefined =>
    valid(holds, `${reason}, got Advertising_Event_Properties ${hexNumber(properties, 4)}`);
  return is(Property.legacy)
    ? combined(
        legacyProperties.includes(properties),
        'legacy PDUs are 0x0013, 0x0015, 0x001D, 0x0012 or 0x0010',
      )
    : (combined(properties <= 0x7f, 'bits 7 to 15 are reserved') ??
        combined(
          !(is(Property.connectable) && is(Property.scannable)),
          'extended PDUs are not both connectable and scannable',
        ) ??
        combined(!is(Property.highDuty), 'high duty cycle is for legacy PDUs') ??
        combined(
          !(is(Property.anonymous) && (is(Property.connectable) || is(Property.scannable))),
          'anonymous advertising is neither connectable nor scannable',
        ));
};

const phyRules = ({ properties, primaryPhy, secondaryPhy, sid }: Parameters): Refusal | undefined => {
  const legacy = has(properties, Property.legacy);
  return (
    valid(
      primaryPhy === 1 || (primaryPhy === 3 && !legacy),
      `Primary_Advertising_PHY must be 0x01, or 0x03 with extended PDUs, got ${hexNumber(primaryPhy)}`,
    ) ??
    valid(
      legacy || (secondaryPhy >= 1 && secondaryPhy <= 3),
      `Secondary_Advertising_PHY must be 0x01 to 0x03, got ${hexNumber(secondaryPhy)}`,
    ) ??
    valid(legacy || sid <= 0x0f, `Advertising_SID must be 0x00 to 0x0F, got ${hexNumber(sid)}`)
  );
};

const parameterRules = (parameters: Parameters): Refusal | undefined => {
  const { properties, txPower, scanRequestNotification, ownAddressType } = parameters;
  return (
    propertyRules(properties) ??
    commonRules(properties, parameters, Interval) ??
    valid(
      (txPower >= TxPower.min && txPower <= TxPower.max) || txPower === TxPower.noPreference,
      `Advertising_TX_Power must be -127 to 20, or 127 for no preference, got ${txPower}`,
    ) ??
    phyRules(parameters) ??
    rangeRule('Scan_Request_Notification_Enable', scanRequestNotification, [0, 1]) ??
    ownAddressRule(ownAddressType)
  );
};

const setParameters = (set: AdvertisingSet, parameters: Parameters): void => {
  const { intervalMin, peerAddressType, peerAddress, scanRequestNotification } = parameters;
  const { properties, ownAddressType, filterPolicy, primaryPhy, secondaryPhy, sid } = parameters;
  set.parameters = {
    ...{ properties, ownAddressType, filterPolicy, primaryPhy, secondaryPhy, sid },
    interval: intervalMin * Interval.ms,
    target: deviceAddress(peerAddressType, peerAddress),
    scanRequestNotification: scanRequestNotification === 1,
  };
};

/** Parameters of sets (Core 5.4 Vol 4 Part E 7.8.52 and 7.8.53). */
export const extendedAdvertisingParameters = ({ advertising, settings }: ControllerParts) => {
  const family = (): Refusal | undefined => familyRule(settings, 'extended');
  return {
    leSetAdvertisingSetRandomAddress: ({ set: number, address }) =>
      family() ??
      onSet(
        advertising,
        number,
        (set) =>
          allowed(
            !set.enabled || !set.is(Property.connectable),
            'the address of a connectable set must not change while it advertises',
          ) ?? done(() => (set.randomAddress = address)),
      ),
    leSetExtendedAdvertisingParameters: (parameters) => {
      const refusal = family() ?? setRule(parameters.set) ?? parameterRules(parameters);
      if (refusal !== undefined) return refusal;
      const set = advertising.make(parameters.set);
      if (set === undefined) {
        return refuse(
          Status.memoryCapacityExceeded,
          `there is room for ${ADVERTISING_SETS} advertising sets`,
        );
      }
      const unfit =
        allowed(!set.enabled, 'the parameters must not change while the set advertises') ??
        dataFitsRule(set, parameters.properties);
      if (unfit !== undefined) return unfit;
      setParameters(set, parameters);
      return { txPower: TX_POWER };
    },
  } satisfies Partial<Handlers>;
};
