import { hexNumber } from '../../../src/bytes/index.js';
import { Status } from '../../../src/ble/hci/status.js';
import { TX_POWER } from '../advertising/advertising-set.js';
import { refuse, type Handlers } from '../host/command-handlers.js';
import { unknownLink } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { eventOf, leEventOf } from '../host/event-packets.js';
import { ALL_CHANNELS } from '../host/host-settings.js';
import { leSupportedFeatures, localVersion } from '../host/supported.js';

/** The reasons that a host may give for a disconnect (Core 5.4 Vol 4 Part E 7.1.6). */
const reasons = new Set([0x05, 0x13, 0x14, 0x15, 0x1a, 0x29, 0x3b]);

/** Disconnect, and information on a link and its other end. */
export const linkCommands = ({
  links,
  host,
  settings,
  medium,
}: Pick<ControllerParts, 'links' | 'host' | 'settings' | 'medium'>) =>
  ({
    disconnect: ({ handle, reason }) => {
      const end = links.get(handle);
      if (end === undefined && !links.isFailing(handle)) return unknownLink(handle);
      if (!reasons.has(reason)) {
        return refuse(Status.invalidParameters, `a host must not give the Reason ${hexNumber(reason)}`);
      }
      medium.post(() => {
        if (end === undefined) links.endFailing(handle, Status.localHostTerminated);
        else end.link.terminate(end, reason);
      });
      return Status.success;
    },
    readRssi: ({ handle }) => {
      const end = links.get(handle);
      if (end === undefined) return unknownLink(handle);
      return { handle, rssi: medium.rssiOf(end.link.peripheral.controller, end.link.central.controller) };
    },
    readTransmitPowerLevel: ({ handle, type }) => {
      if (links.get(handle) === undefined) return unknownLink(handle);
      if (type > 1)
        return refuse(Status.invalidParameters, `Type must be 0x00 or 0x01, got ${hexNumber(type)}`);
      return { handle, level: TX_POWER };
    },
    readRemoteVersion: ({ handle }) => {
      const end = links.get(handle);
      if (end === undefined) return unknownLink(handle);
      const { lmpVersion: version, lmpSubversion: subversion, manufacturer } = localVersion;
      const fields = { status: Status.success, handle, version, manufacturer, subversion };
      end.link.request(end, () => host.send(eventOf('readRemoteVersionComplete', fields)));
      return Status.success;
    },
    leReadRemoteFeatures: ({ handle }) => {
      const end = links.get(handle);
      if (end === undefined) return unknownLink(handle);
      const fields = { status: Status.success, handle, features: leSupportedFeatures() };
      end.link.request(end, () => host.send(leEventOf('readRemoteFeaturesComplete', fields)));
      return Status.success;
    },
    leSetHostChannelClassification: ({ channelMap }) => {
      const used = channelMap.some((octet) => octet !== 0);
      if (!used || channelMap.some((octet, at) => (octet & ~(ALL_CHANNELS[at] ?? 0)) !== 0)) {
        return refuse(
          Status.invalidParameters,
          `Channel_Map must name some of the channels 0 to 36, got ${channelMap.toString('hex')}`,
        );
      }
      settings.channelMap = channelMap;
      return Status.success;
    },
    leReadChannelMap: ({ handle }) => {
      const end = links.get(handle);
      if (end === undefined) return unknownLink(handle);
      return { handle, channelMap: end.link.central.controller.settings.channelMap };
    },
  }) satisfies Partial<Handlers>;
