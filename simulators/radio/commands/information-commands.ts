import { Status } from '../../../src/ble/hci/status.js';
import { TX_POWER } from '../advertising/advertising-set.js';
import { done, type Handlers } from '../host/command-handlers.js';
import { rangeRule } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import {
  aclBuffers,
  leSupportedFeatures,
  leSupportedStates,
  localVersion,
  supportedCommands,
  supportedFeatures,
} from '../host/supported.js';

/** Reset, event masks, and information on the controller. */
export const informationCommands = ({ address, settings, reset }: ControllerParts) =>
  ({
    reset: () => done(reset),
    setEventMask: ({ mask }) => done(() => (settings.eventMask = mask)),
    // The controller sends no events of the second page.
    setEventMaskPage2: () => Status.success,
    leSetEventMask: ({ mask }) => done(() => (settings.leEventMask = mask)),
    readLeHostSupport: () => settings.leHostSupported,
    writeLeHostSupport: ({ leSupported }) =>
      rangeRule('LE_Supported_Host', leSupported, [0, 1]) ??
      done(() => {
        // The second octet is reserved: it is ignored and read as zero (Core 5.4 Vol 4 Part E 7.3.79).
        settings.leHostSupported = { leSupported, simultaneous: 0 };
      }),
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
    leReadTransmitPower: () => ({ minTxPower: TX_POWER, maxTxPower: TX_POWER }),
    readBdAddr: () => ({ address }),
  }) satisfies Partial<Handlers>;
