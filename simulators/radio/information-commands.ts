import { Status } from '../../src/ble/hci/status.js';
import type { Handlers } from './command-handlers.js';
import type { Controller } from './controller.js';
import {
  aclBuffers,
  leSupportedFeatures,
  leSupportedStates,
  localVersion,
  supportedCommands,
  supportedFeatures,
} from './supported.js';

/** LE Set Default PHY: bits of what the host prefers not to say. */
const NO_PREFERENCE = { tx: 1, rx: 2 } as const;
const PHYS = 0b111;

/** Reset, masks, and what the controller says of itself. */
export const informationCommands = (controller: Controller) =>
  ({
    reset: () => {
      controller.reset();
      return Status.success;
    },
    setEventMask: ({ mask }) => {
      controller.eventMask = mask;
      return Status.success;
    },
    leSetEventMask: ({ mask }) => {
      controller.leEventMask = mask;
      return Status.success;
    },
    readLeHostSupport: () => controller.leHostSupported,
    writeLeHostSupport: (support) => {
      if (support.leSupported > 1) return Status.invalidParameters;
      // The second octet is reserved; controllers take what comes and answer zero (Core 5.4 Vol 4 Part E 7.3.79).
      controller.leHostSupported = { leSupported: support.leSupported, simultaneous: 0 };
      return Status.success;
    },
    readLocalVersion: () => localVersion,
    readLocalSupportedCommands: () => ({ commands: supportedCommands() }),
    readLocalSupportedFeatures: () => ({ features: supportedFeatures() }),
    leReadLocalSupportedFeatures: () => ({ features: leSupportedFeatures() }),
    leReadSupportedStates: () => ({ states: leSupportedStates() }),
    readBufferSize: () => ({
      aclLength: aclBuffers.length,
      aclPackets: aclBuffers.packets,
      scoLength: 0,
      scoPackets: 0,
    }),
    leReadBufferSize: () => ({ aclLength: aclBuffers.length, aclPackets: aclBuffers.packets }),
    readBdAddr: () => ({ address: controller.address }),
    leSetDefaultPhy: ({ allPhys, txPhys, rxPhys }) => {
      const valid = (phys: number, unstated: number): boolean =>
        (allPhys & unstated) !== 0 || ((phys & PHYS) !== 0 && (phys & ~PHYS) === 0);
      return valid(txPhys, NO_PREFERENCE.tx) && valid(rxPhys, NO_PREFERENCE.rx)
        ? Status.success
        : Status.invalidParameters;
    },
  }) satisfies Partial<Handlers>;
