import { MAX_ADVERTISING_DATA } from '../../src/ble/hci/advertising-data.js';
import { Status } from '../../src/ble/hci/status.js';
import type { Handlers } from './command-handlers.js';
import type { Controller } from './controller.js';
import { advertisingTypes, isConnectable } from './pdu.js';

/** Advertising intervals, in units of 0.625 ms (Core 5.4 Vol 4 Part E 7.8.5). */
const Interval = { min: 0x0020, max: 0x4000, ms: 0.625 } as const;
const CHANNELS = 0b111;

/** Legacy advertising. */
export const advertisingCommands = (controller: Controller) => {
  const { advertiser } = controller;
  const legacy = (): boolean => {
    controller.commandSet ??= 'legacy';
    return controller.commandSet === 'legacy';
  };
  return {
    leSetRandomAddress: ({ address }) => {
      if (
        advertiser.enabledAs !== undefined ||
        controller.scanner.enabled ||
        controller.initiating !== undefined
      ) {
        return Status.commandDisallowed;
      }
      controller.randomAddress = address;
      return Status.success;
    },
    leSetAdvertisingParameters: (parameters) => {
      if (!legacy() || advertiser.enabledAs !== undefined) return Status.commandDisallowed;
      const type = advertisingTypes[parameters.type];
      const { intervalMin, intervalMax, channelMap } = parameters;
      const intervalFits =
        type === 'directedHighDuty' ||
        (intervalMin >= Interval.min && intervalMin <= intervalMax && intervalMax <= Interval.max);
      if (type === undefined || !intervalFits || channelMap === 0 || (channelMap & ~CHANNELS) !== 0) {
        return Status.invalidParameters;
      }
      if (parameters.ownAddressType > 3 || parameters.peerAddressType > 1 || parameters.filterPolicy > 3) {
        return Status.invalidParameters;
      }
      if (parameters.ownAddressType > 1 || parameters.filterPolicy !== 0) return Status.unsupportedFeature;
      advertiser.parameters = {
        type,
        interval: intervalMin * Interval.ms,
        randomAddress: parameters.ownAddressType === 1,
        target: {
          address: parameters.peerAddress,
          type: parameters.peerAddressType === 1 ? 'random' : 'public',
        },
      };
      return Status.success;
    },
    leReadAdvertisingTxPower: () => (legacy() ? { txPower: 0 } : Status.commandDisallowed),
    leSetAdvertisingData: ({ length, data }) => {
      if (!legacy()) return Status.commandDisallowed;
      if (length > MAX_ADVERTISING_DATA) return Status.invalidParameters;
      advertiser.data = data.subarray(0, length);
      return Status.success;
    },
    leSetScanResponseData: ({ length, data }) => {
      if (!legacy()) return Status.commandDisallowed;
      if (length > MAX_ADVERTISING_DATA) return Status.invalidParameters;
      advertiser.scanResponse = data.subarray(0, length);
      return Status.success;
    },
    leSetAdvertisingEnable: ({ enable }) => {
      if (enable > 1) return Status.invalidParameters;
      if (!legacy()) return Status.commandDisallowed;
      if (enable === 0) {
        advertiser.stop();
        return Status.success;
      }
      const own = controller.ownAddress(advertiser.parameters.randomAddress);
      if (own === undefined) return Status.invalidParameters;
      if (isConnectable(advertiser.parameters.type) && controller.links.size >= controller.maxLinks) {
        return Status.connectionLimitExceeded;
      }
      advertiser.enabledAs = own;
      controller.air.advertising(controller);
      return Status.success;
    },
  } satisfies Partial<Handlers>;
};
