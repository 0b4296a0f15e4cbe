import { extendedScanPhy } from '../../src/ble/hci/commands.js';
import { Status } from '../../src/ble/hci/status.js';
import type { Handlers } from './command-handlers.js';
import type { Controller } from './controller.js';
import type { CommandSet } from './scanner.js';

/** Scan intervals and windows, in units of 0.625 ms (Core 5.4 Vol 4 Part E 7.8.10 and 7.8.64). */
const Interval = { min: 0x0004, legacyMax: 0x4000, extendedMax: 0xffff } as const;

/** PHYs that have a place in the extended parameters: 1M and Coded. */
const PHYS = 0b101;

/** Scanning, by the legacy commands and by the extended ones, which report legacy advertising alike. */
export const scanningCommands = (controller: Controller) => {
  const { scanner } = controller;
  const allows = (commandSet: CommandSet): boolean => {
    controller.commandSet ??= commandSet;
    return controller.commandSet === commandSet;
  };
  const validTiming = (type: number, interval: number, window: number, max: number): boolean =>
    type <= 1 && interval >= Interval.min && interval <= max && window >= Interval.min && window <= interval;
  const enable = (on: number, filterDuplicates: number, commandSet: CommandSet): number => {
    if (on === 0) scanner.stop();
    else scanner.start(filterDuplicates !== 0, commandSet);
    controller.air.listening(controller);
    return Status.success;
  };
  return {
    leSetScanParameters: ({ type, interval, window, ownAddressType, filterPolicy }) => {
      if (!allows('legacy') || scanner.enabled) return Status.commandDisallowed;
      if (
        !validTiming(type, interval, window, Interval.legacyMax) ||
        ownAddressType > 3 ||
        filterPolicy > 3
      ) {
        return Status.invalidParameters;
      }
      if (ownAddressType > 1 || filterPolicy !== 0) return Status.unsupportedFeature;
      if (controller.ownAddress(ownAddressType === 1) === undefined) return Status.invalidParameters;
      scanner.active = type === 1;
      return Status.success;
    },
    leSetScanEnable: ({ enable: on, filterDuplicates }) => {
      if (!allows('legacy')) return Status.commandDisallowed;
      return on > 1 || filterDuplicates > 1
        ? Status.invalidParameters
        : enable(on, filterDuplicates, 'legacy');
    },
    leSetExtendedScanParameters: ({ ownAddressType, filterPolicy, scanningPhys, tail }) => {
      if (!allows('extended') || scanner.enabled) return Status.commandDisallowed;
      const phys = [1, 4].filter((phy) => (scanningPhys & phy) !== 0).length;
      if (
        phys === 0 ||
        tail.length !== phys * extendedScanPhy.size ||
        ownAddressType > 3 ||
        filterPolicy > 3
      ) {
        return Status.invalidParameters;
      }
      if ((scanningPhys & ~PHYS) !== 0 || ownAddressType > 1 || filterPolicy !== 0)
        return Status.unsupportedFeature;
      for (let phy = 0; phy < phys; phy++) {
        const { type, interval, window } = extendedScanPhy.read(tail.subarray(phy * extendedScanPhy.size));
        if (!validTiming(type, interval, window, Interval.extendedMax)) return Status.invalidParameters;
      }
      if (controller.ownAddress(ownAddressType === 1) === undefined) return Status.invalidParameters;
      scanner.active = extendedScanPhy.read(tail).type === 1;
      return Status.success;
    },
    leSetExtendedScanEnable: ({ enable: on, filterDuplicates, duration, period }) => {
      if (!allows('extended')) return Status.commandDisallowed;
      if (on > 1 || filterDuplicates > 2) return Status.invalidParameters;
      if (on === 1 && (duration !== 0 || period !== 0)) return Status.unsupportedFeature;
      return enable(on, filterDuplicates, 'extended');
    },
  } satisfies Partial<Handlers>;
};
