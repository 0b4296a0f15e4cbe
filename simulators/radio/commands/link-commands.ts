import { hexNumber } from '../../../src/bytes/index.js';
import { Status } from '../../../src/ble/hci/status.js';
import { TX_POWER } from '../advertising/advertising-set.js';
import { done, valid, type Handlers } from '../host/command-handlers.js';
import { onLink, rangeRule, unknownLink } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { eventOf, leEventOf } from '../host/event-packets.js';
import { ALL_CHANNELS } from '../host/host-settings.js';
import { leSupportedFeatures, localVersion } from '../host/supported.js';

/** The reasons that a host may give for a disconnect (Core 5.4 Vol 4 Part E 7.1.6). */
const reasons = new Set([0x05, 0x13, 0x14, 0x15, 0x1a, 0x29, 0x3b]);

/** Disconnect, and information on a link and its other end. */
export const linkCommands = ({ links, host, settings, medium }: ControllerParts) =>
  ({
    disconnect: ({ handle, reason }) => {
      const end = links.get(handle);
      if (end === undefined && !links.isFailing(handle)) return unknownLink(handle);
      return (
        valid(reasons.has(reason), `a host must not give the Reason ${hexNumber(reason)}`) ??
        done(() =>
          medium.post(() => {
            if (end === undefined) links.endFailing(handle, Status.localHostTerminated);
            else end.link.terminate(end, reason);
          }),
        )
      );
    },
    readRssi: onLink(links, ({ handle, link: { central, peripheral } }) => ({
      handle,
      rssi: medium.rssiOf(peripheral.controller, central.controller),
    })),
    readTransmitPowerLevel: onLink(
      links,
      ({ handle }, { type }) => rangeRule('Type', type, [0, 1]) ?? { handle, level: TX_POWER },
    ),
    readRemoteVersion: onLink(links, (end, { handle }) => {
      const { lmpVersion: version, lmpSubversion: subversion, manufacturer } = localVersion;
      const fields = { status: Status.success, handle, version, manufacturer, subversion };
      return done(() => end.link.request(end, () => host.send(eventOf('readRemoteVersionComplete', fields))));
    }),
    leReadRemoteFeatures: onLink(links, (end, { handle }) => {
      const fields = { status: Status.success, handle, features: leSupportedFeatures() };
      return done(() =>
        end.link.request(end, () => host.send(leEventOf('readRemoteFeaturesComplete', fields))),
      );
    }),
    leSetHostChannelClassification: ({ channelMap }) =>
      valid(
        channelMap.some((octet) => octet !== 0) &&
          channelMap.every((octet, at) => (octet & ~(ALL_CHANNELS[at] ?? 0)) === 0),
        `Channel_Map must name some of the channels 0 to 36, got ${channelMap.toString('hex')}`,
      ) ?? done(() => (settings.channelMap = channelMap)),
    leReadChannelMap: onLink(links, ({ handle, link }) => ({
      handle,
      channelMap: link.central.controller.settings.channelMap,
    })),
  }) satisfies Partial<Handlers>;
