import { hexNumber } from '../../../src/bytes/index.js';
import { extendedConnectionPhy, type ConnectionParameters } from '../../../src/ble/hci/extended-commands.js';
import { Status } from '../../../src/ble/hci/status.js';
import {
  allowed,
  done,
  isRefusal,
  refuse,
  valid,
  type Handlers,
  type Refusal,
} from '../host/command-handlers.js';
import { familyRule, knownAddressRule, ownAddressRule, rangeRule, roomRule } from './command-rules.js';
import { connectionRules, linkParameters } from './connection-parameters.js';
import type { ControllerParts } from './controller-parts.js';
import type { CommandSet } from '../host/host-settings.js';
import { ALL_PHYS, PhyBit, deviceAddress, phyBit } from '../medium/pdu.js';

interface Target {
  readonly peerAddress: string;
  readonly peerAddressType: number;
  readonly ownAddressType: number;
  readonly filterPolicy: number;
}

/** PHYs on which an initiator listens. */
const PRIMARY_PHYS = PhyBit.le1M | PhyBit.coded;

/** Scan intervals and windows of an initiator, in units of 0.625 ms (Core 5.4 Vol 4 Part E 7.8.12 and 7.8.66). */
const scanRule = (interval: number, window: number, max: number): Refusal | undefined =>
  valid(
    interval >= 4 && interval <= max && window >= 4 && window <= interval,
    `the scan interval must be 0x0004 to ${hexNumber(max, 4)} and the window 0x0004 to the interval, got ${hexNumber(interval, 4)} and ${hexNumber(window, 4)}`,
  );

const targetRules = ({ filterPolicy, peerAddressType, ownAddressType }: Target): Refusal | undefined =>
  rangeRule('Initiator_Filter_Policy', filterPolicy, [0, 1]) ??
  rangeRule('Peer_Address_Type', peerAddressType, [0, 3]) ??
  ownAddressRule(ownAddressType);

export const initiatingCommands = ({
  initiator,
  channels,
  settings,
  privacy,
  links,
  host,
}: ControllerParts) => {
  /** The rules apply in this order: state of the controller, ranges, peer. */
  const initiate = (
    commandSet: CommandSet,
    target: Target,
    perPhy: readonly (ConnectionParameters & { readonly phy: number })[],
    ranges: Refusal | undefined,
  ): number | Refusal => {
    const peer =
      target.filterPolicy === 1 ? undefined : deviceAddress(target.peerAddressType, target.peerAddress);
    const refusal =
      familyRule(settings, commandSet) ??
      allowed(initiator.attempt === undefined, 'an attempt to connect is pending') ??
      ranges ??
      perPhy.map(connectionRules).find(isRefusal) ??
      targetRules(target) ??
      knownAddressRule(privacy.ownAddress(target.ownAddressType, peer));
    const first = perPhy[0];
    if (refusal !== undefined || first === undefined) return refusal ?? Status.invalidParameters;
    if (peer !== undefined && links.isConnectedTo(peer)) {
      return refuse(Status.connectionAlreadyExists, `there is a link to ${peer.address}`);
    }
    return (
      roomRule(links) ??
      done(() => {
        initiator.attempt = {
          peer,
          ownAddressType: target.ownAddressType,
          commandSet,
          phys: perPhy.reduce((phys, { phy }) => phys | phy, 0),
          parametersOn: (phy) => linkParameters(perPhy.find((entry) => entry.phy === phyBit(phy)) ?? first),
        };
        channels.listeningChanged();
      })
    );
  };

  return {
    leCreateConnection: (parameters) =>
      initiate(
        'legacy',
        parameters,
        [{ ...parameters, phy: PhyBit.le1M }],
        scanRule(parameters.scanInterval, parameters.scanWindow, 0x4000),
      ),
    leExtendedCreateConnection: ({ tail, initiatingPhys, ...target }) => {
      const phys = [PhyBit.le1M, PhyBit.le2M, PhyBit.coded].filter((phy) => (initiatingPhys & phy) !== 0);
      const { size, read } = extendedConnectionPhy;
      const refusal = valid(
        (initiatingPhys & PRIMARY_PHYS) !== 0 &&
          initiatingPhys <= ALL_PHYS &&
          tail.length === phys.length * size,
        `Initiating_PHYs ${hexNumber(initiatingPhys)} must name 1M (0x01) or Coded (0x04), 2M (0x02) only beside them, with 16 bytes for each`,
      );
      if (refusal !== undefined) return refusal;
      const perPhy = phys.map((phy, index) => ({ phy, ...read(tail.subarray(index * size)) }));
      const ranges = perPhy
        .filter(({ phy }) => (phy & PRIMARY_PHYS) !== 0)
        .map(({ scanInterval, scanWindow }) => scanRule(scanInterval, scanWindow, 0xffff))
        .find(isRefusal);
      return initiate('extended', target, perPhy, ranges);
    },
    leCreateConnectionCancel: () => {
      // Not a violation: the connection may have been established just now.
      if (initiator.attempt === undefined) return Status.commandDisallowed;
      initiator.attempt = undefined;
      channels.listeningChanged();
      host.sendLater(() => links.connectionComplete(Status.unknownConnection));
      return Status.success;
    },
  } satisfies Partial<Handlers>;
};
