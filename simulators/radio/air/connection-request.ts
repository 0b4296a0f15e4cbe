import type { AdvertisingSet, SetAddresses } from '../advertising/advertising-set.js';
import type { Controller } from '../controller/controller.js';
import type { Side } from '../connections/link.js';
import { Property, isDevice, phyBit, type PeerAddress } from '../medium/pdu.js';

/** A connection request that an advertiser accepts. */
export interface ConnectionRequest {
  readonly set: AdvertisingSet;
  readonly central: Side<Controller>;
  readonly peripheral: Side<Controller>;
}

/** The request of an initiator that receives this advertiser; undefined if either does not want the link, or has no room for it. */
export const connectionRequest = (
  central: Controller,
  peripheral: Controller,
  set: AdvertisingSet,
  addresses: SetAddresses,
): ConnectionRequest | undefined => {
  const { attempt } = central.initiator;
  if (attempt === undefined || !set.is(Property.connectable)) return undefined;
  if (!set.is(Property.legacy) && attempt.commandSet === 'legacy') return undefined;
  if ((attempt.phys & phyBit(set.parameters.primaryPhy)) === 0) return undefined;
  if (central.links.full || peripheral.links.full) return undefined;
  const advertiser = central.privacy.identify(addresses.own);
  if (advertiser === undefined || !wants(central, advertiser)) return undefined;
  const initiating = central.privacy.ownAddress(attempt.ownAddressType, advertiser);
  if (initiating === undefined) return undefined;
  const { target } = addresses;
  if (target !== undefined && !central.privacy.isTarget(target, initiating)) return undefined;
  const initiator = peripheral.privacy.identify(initiating);
  if (initiator === undefined || !accepts(peripheral, set, initiator)) return undefined;
  return {
    set,
    central: { controller: central, ownAddress: initiating, peerAddress: advertiser },
    peripheral: { controller: peripheral, ownAddress: addresses.own, peerAddress: initiator },
  };
};

const wants = ({ initiator, acceptList, links }: Controller, advertiser: PeerAddress): boolean => {
  const peer = initiator.attempt?.peer;
  const isPeer = peer === undefined ? acceptList.includes(advertiser) : isDevice(advertiser, peer);
  return isPeer && !links.isConnectedTo(advertiser);
};

/** Directed advertising is for its target alone, whatever the filter policy says (Core 5.4 Vol 6 Part B 4.3.2). */
const accepts = ({ acceptList }: Controller, set: AdvertisingSet, initiator: PeerAddress): boolean =>
  set.is(Property.directed)
    ? isDevice(initiator, set.parameters.target)
    : !set.filtersConnections || acceptList.includes(initiator);
