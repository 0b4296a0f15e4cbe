import { extendedConnectionPhy, type ConnectionParameters } from '../../src/ble/hci/commands.js';
import { EventCode, LeSubevent, encodeEvent, encodeLeEvent, events } from '../../src/ble/hci/packets.js';
import { Status } from '../../src/ble/hci/status.js';
import type { Handlers } from './command-handlers.js';
import type { Controller } from './controller.js';
import type { LinkEnd, LinkParameters } from './link.js';
import type { CommandSet } from './scanner.js';
import { sameAddress, type DeviceAddress } from './pdu.js';

/** Reasons that a host may give for ending a link (Core 5.4 Vol 4 Part E 7.1.6). */
const reasons = new Set([0x05, 0x13, 0x14, 0x15, 0x1a, 0x29, 0x3b]);

/** Intervals in units of 1.25 ms, time-outs in units of 10 ms (Core 5.4 Vol 4 Part E 7.8.12). */
const Limits = {
  minInterval: 6,
  maxInterval: 3200,
  maxLatency: 499,
  minTimeout: 10,
  maxTimeout: 3200,
} as const;

/** What both sides will keep to, or undefined for values that the specification forbids. */
const agreed = (wanted: ConnectionParameters): LinkParameters | undefined => {
  const { connectionIntervalMin: min, connectionIntervalMax: max, maxLatency, supervisionTimeout } = wanted;
  const valid =
    min >= Limits.minInterval &&
    min <= max &&
    max <= Limits.maxInterval &&
    maxLatency <= Limits.maxLatency &&
    supervisionTimeout >= Limits.minTimeout &&
    supervisionTimeout <= Limits.maxTimeout &&
    supervisionTimeout * 10 > (1 + maxLatency) * max * 1.25 * 2 &&
    wanted.minCeLength <= wanted.maxCeLength;
  return valid
    ? { interval: min * 1.25, latency: maxLatency, supervisionTimeout: supervisionTimeout * 10 }
    : undefined;
};

/** Scan intervals and windows of who looks for a peer, in units of 0.625 ms (Core 5.4 Vol 4 Part E 7.8.12 and 7.8.66). */
const scanFits = (interval: number, window: number, max: number): boolean =>
  interval >= 4 && interval <= max && window >= 4 && window <= interval;

/** PHYs on which a peer may be looked for: 1M and Coded. */
const PRIMARY_PHYS = 0b101;

/** Making links, keeping and ending them, and LE encryption at HCI level. */
export const linkCommands = (controller: Controller) => {
  const { air, links } = controller;

  const initiate = (
    commandSet: CommandSet,
    target: { peerAddress: string; peerAddressType: number; ownAddressType: number; filterPolicy: number },
    wanted: ConnectionParameters,
  ): number => {
    controller.commandSet ??= commandSet;
    if (controller.commandSet !== commandSet || controller.initiating !== undefined)
      return Status.commandDisallowed;
    const parameters = agreed(wanted);
    if (
      target.peerAddressType > 3 ||
      target.ownAddressType > 3 ||
      target.filterPolicy > 1 ||
      parameters === undefined
    ) {
      return Status.invalidParameters;
    }
    if (target.peerAddressType > 1 || target.ownAddressType > 1 || target.filterPolicy !== 0) {
      return Status.unsupportedFeature;
    }
    const own = controller.ownAddress(target.ownAddressType === 1);
    if (own === undefined) return Status.invalidParameters;
    const peer: DeviceAddress = {
      address: target.peerAddress,
      type: target.peerAddressType === 1 ? 'random' : 'public',
    };
    if ([...links.values()].some((end) => sameAddress(end.peer, peer))) return Status.connectionAlreadyExists;
    if (links.size >= controller.maxLinks) return Status.connectionLimitExceeded;
    controller.initiating = { peer, own, parameters };
    air.listening(controller);
    return Status.success;
  };

  const encryptionChanged = (end: LinkEnd, status: number): void => {
    const fields = { status, handle: end.handle, enabled: status === Status.success ? 1 : 0 };
    end.controller.toHost(encodeEvent(EventCode.encryptionChange, events.encryptionChange.write(fields)));
  };

  return {
    disconnect: ({ handle, reason }) => {
      const end = links.get(handle);
      if (end === undefined) return Status.unknownConnection;
      if (!reasons.has(reason)) return Status.invalidParameters;
      air.post(() => end.link.terminate(end, reason));
      return Status.success;
    },
    readRssi: ({ handle }) => {
      const end = links.get(handle);
      if (end === undefined) return Status.unknownConnection;
      return { handle, rssi: air.rssiOf(end.link.peripheral.controller) };
    },
    leCreateConnection: (parameters) => {
      if (!scanFits(parameters.scanInterval, parameters.scanWindow, 0x4000)) return Status.invalidParameters;
      return initiate('legacy', parameters, parameters);
    },
    leExtendedCreateConnection: ({ tail, initiatingPhys, ...target }) => {
      const phys = [1, 2, 4].filter((phy) => (initiatingPhys & phy) !== 0);
      const { size, read } = extendedConnectionPhy;
      if ((initiatingPhys & PRIMARY_PHYS) === 0 || initiatingPhys > 7 || tail.length !== phys.length * size) {
        return Status.invalidParameters;
      }
      const wanted = phys.map((phy, index) => ({ phy, ...read(tail.subarray(index * size)) }));
      const fits = wanted.every(
        ({ phy, scanInterval, scanWindow, ...parameters }) =>
          agreed(parameters) !== undefined &&
          ((phy & PRIMARY_PHYS) === 0 || scanFits(scanInterval, scanWindow, 0xffff)),
      );
      return fits ? initiate('extended', target, read(tail)) : Status.invalidParameters;
    },
    leCreateConnectionCancel: () => {
      if (controller.initiating === undefined) return Status.commandDisallowed;
      controller.initiating = undefined;
      air.listening(controller);
      air.post(controller.unlessReset(() => controller.connectionComplete(Status.unknownConnection)));
      return Status.success;
    },
    leConnectionUpdate: ({ handle, ...wanted }) => {
      const end = links.get(handle);
      if (end === undefined) return Status.unknownConnection;
      if (end.role !== 'central') return Status.commandDisallowed;
      const parameters = agreed(wanted);
      if (parameters === undefined) return Status.invalidParameters;
      const { link } = end;
      const arrive = (): void => {
        link.parameters = parameters;
        for (const side of [link.central, link.peripheral]) {
          const fields = {
            status: Status.success,
            handle: side.handle,
            interval: parameters.interval / 1.25,
            latency: parameters.latency,
            supervisionTimeout: parameters.supervisionTimeout / 10,
          };
          side.controller.toHost(
            encodeLeEvent(LeSubevent.connectionUpdateComplete, events.connectionUpdateComplete.write(fields)),
          );
        }
      };
      air.post(() => link.send(end, { kind: 'control', arrive }));
      return Status.success;
    },
    leEnableEncryption: ({ handle, random, encryptedDiversifier, longTermKey }) => {
      const end = links.get(handle);
      if (end === undefined) return Status.unknownConnection;
      if (end.role !== 'central') return Status.commandDisallowed;
      const { link } = end;
      const arrive = (): void => {
        link.pendingKey = longTermKey;
        const request = { handle: link.peripheral.handle, random, encryptedDiversifier };
        link.peripheral.controller.toHost(
          encodeLeEvent(LeSubevent.longTermKeyRequest, events.longTermKeyRequest.write(request)),
        );
      };
      air.post(() => link.send(end, { kind: 'control', arrive }));
      return Status.success;
    },
    leLongTermKeyRequestReply: ({ handle, longTermKey }) => {
      const end = links.get(handle);
      if (end === undefined) return Status.unknownConnection;
      const { link } = end;
      const wanted = link.pendingKey;
      if (end.role !== 'peripheral' || wanted === undefined) return Status.commandDisallowed;
      link.pendingKey = undefined;
      const arrive = (): void => {
        if (!wanted.equals(longTermKey)) {
          link.end(Status.micFailure);
          return;
        }
        encryptionChanged(link.central, Status.success);
        encryptionChanged(link.peripheral, Status.success);
      };
      air.post(() => link.send(end, { kind: 'control', arrive }));
      return { handle };
    },
    leLongTermKeyRequestNegativeReply: ({ handle }) => {
      const end = links.get(handle);
      if (end === undefined) return Status.unknownConnection;
      const { link } = end;
      if (end.role !== 'peripheral' || link.pendingKey === undefined) return Status.commandDisallowed;
      link.pendingKey = undefined;
      const arrive = (): void => encryptionChanged(link.central, Status.pinOrKeyMissing);
      air.post(() => link.send(end, { kind: 'control', arrive }));
      return { handle };
    },
  } satisfies Partial<Handlers>;
};
