import { hexNumber } from '../../../src/bytes/index.js';
import { extendedConnectionPhy, type ConnectionParameters } from '../../../src/ble/hci/extended-commands.js';
import { Status } from '../../../src/ble/hci/status.js';
import { check, refuse, type Handlers, type Refusal, type Rule } from '../host/command-handlers.js';
import { NO_RANDOM_ADDRESS, familyRule, ownAddressRules, roomRule } from './command-rules.js';
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
const scanRule = (interval: number, window: number, max: number): Rule => [
  interval >= 4 && interval <= max && window >= 4 && window <= interval,
  Status.invalidParameters,
  () =>
    `the scan interval must be 0x0004 to ${hexNumber(max, 4)} and the window 0x0004 to the interval, got ${hexNumber(interval, 4)} and ${hexNumber(window, 4)}`,
];

/** Creating connections. */
export const initiatingCommands = (
  parts: Pick<ControllerParts, 'initiator' | 'channels' | 'settings' | 'ownAddress' | 'links' | 'host'>,
) => {
  const { initiator, channels, settings, ownAddress, links, host } = parts;

  /** The rules apply in this order: state of the controller, ranges, peer. */
  const initiate = (
    commandSet: CommandSet,
    target: Target,
    wanted: readonly (ConnectionParameters & { readonly phy: number })[],
    ranges: readonly Rule[],
  ): number | Refusal => {
    const own = ownAddress(target.ownAddressType);
    const refusal = check(
      familyRule(settings, commandSet),
      [initiator.attempt === undefined, Status.commandDisallowed, () => 'an attempt to connect is pending'],
      ...ranges,
      ...wanted.flatMap(connectionRules),
      [
        target.filterPolicy <= 1,
        Status.invalidParameters,
        () => `Initiator_Filter_Policy must be 0x00 or 0x01, got ${hexNumber(target.filterPolicy)}`,
      ],
      [
        target.peerAddressType <= 3,
        Status.invalidParameters,
        () => `Peer_Address_Type must be 0x00 to 0x03, got ${hexNumber(target.peerAddressType)}`,
      ],
      ...ownAddressRules(target.ownAddressType),
      [
        target.peerAddressType <= 1 || target.filterPolicy === 1,
        Status.unsupportedFeature,
        () =>
          `Peer_Address_Type ${hexNumber(target.peerAddressType)} needs LL privacy, which the features do not offer`,
      ],
      [own !== undefined, Status.invalidParameters, () => NO_RANDOM_ADDRESS],
    );
    const first = wanted[0];
    if (refusal !== undefined || own === undefined || first === undefined) {
      return refusal ?? Status.invalidParameters;
    }
    const peer =
      target.filterPolicy === 1 ? undefined : deviceAddress(target.peerAddressType, target.peerAddress);
    if (peer !== undefined && links.isConnectedTo(peer)) {
      return refuse(Status.connectionAlreadyExists, `there is a link to ${peer.address}`);
    }
    const crowded = check(roomRule(links));
    if (crowded !== undefined) return crowded;
    initiator.attempt = {
      peer,
      own,
      commandSet,
      phys: wanted.reduce((phys, { phy }) => phys | phy, 0),
      parametersOn: (phy) => linkParameters(wanted.find((one) => one.phy === phyBit(phy)) ?? first),
    };
    channels.listeningChanged();
    return Status.success;
  };

  return {
    leCreateConnection: (parameters) =>
      initiate(
        'legacy',
        parameters,
        [{ ...parameters, phy: PhyBit.le1M }],
        [scanRule(parameters.scanInterval, parameters.scanWindow, 0x4000)],
      ),
    leExtendedCreateConnection: ({ tail, initiatingPhys, ...target }) => {
      const phys = [PhyBit.le1M, PhyBit.le2M, PhyBit.coded].filter((phy) => (initiatingPhys & phy) !== 0);
      const { size, read } = extendedConnectionPhy;
      if (
        (initiatingPhys & PRIMARY_PHYS) === 0 ||
        initiatingPhys > ALL_PHYS ||
        tail.length !== phys.length * size
      ) {
        return refuse(
          Status.invalidParameters,
          `Initiating_PHYs ${hexNumber(initiatingPhys)} must name 1M (0x01) or Coded (0x04), 2M (0x02) only beside them, with 16 bytes for each`,
        );
      }
      const wanted = phys.map((phy, index) => ({ phy, ...read(tail.subarray(index * size)) }));
      const scans = wanted
        .filter(({ phy }) => (phy & PRIMARY_PHYS) !== 0)
        .map(({ scanInterval, scanWindow }) => scanRule(scanInterval, scanWindow, 0xffff));
      return initiate('extended', target, wanted, scans);
    },
    leCreateConnectionCancel: () => {
      // No violation: the connection may have been established just now.
      if (initiator.attempt === undefined) return Status.commandDisallowed;
      initiator.attempt = undefined;
      channels.listeningChanged();
      host.sendLater(() => links.connectionComplete(Status.unknownConnection));
      return Status.success;
    },
  } satisfies Partial<Handlers>;
};
