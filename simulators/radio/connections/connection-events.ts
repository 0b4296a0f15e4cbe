/** The events for a new link (Core 5.4 Vol 4 Part E 7.7.65.1, 7.7.65.10, 7.7.65.18 and 7.7.65.20). */
import type { AdvertisingSet } from '../advertising/advertising-set.js';
import { leEventOf } from '../host/event-packets.js';
import type { LinkEnd, LinkParameters } from './link.js';
import { onAir, typeCode } from '../medium/pdu.js';

/** A link, as these events report it. */
export type NewLink = Pick<LinkEnd, 'handle' | 'role' | 'ownAddress' | 'peerAddress'> & {
  link: { parameters: LinkParameters };
};

const NO_ADDRESS = '00:00:00:00:00:00';
/** Channel Selection Algorithm #2. */
const SECOND_ALGORITHM = 1;

/**
 * `enhanced`: as LE Enhanced Connection Complete, with identities; otherwise as LE Connection Complete, with addresses on the air.
 * Without a link the attempt failed with `status`.
 */
export const connectionComplete = (status: number, enhanced: boolean, link?: NewLink): Buffer => {
  const parameters = link?.link.parameters;
  const own = link?.ownAddress;
  const peer = link && (enhanced ? link.peerAddress : onAir(link.peerAddress));
  const fields = {
    status,
    handle: link?.handle ?? 0,
    role: link?.role === 'peripheral' ? 1 : 0,
    peerAddressType: typeCode(peer),
    peerAddress: peer?.address ?? NO_ADDRESS,
    localResolvableAddress: (own?.isGenerated === true ? own.address : undefined) ?? NO_ADDRESS,
    peerResolvableAddress: link?.peerAddress.resolvedFrom ?? NO_ADDRESS,
    interval: Math.round((parameters?.interval ?? 0) / 1.25),
    latency: parameters?.latency ?? 0,
    supervisionTimeout: Math.round((parameters?.supervisionTimeout ?? 0) / 10),
    clockAccuracy: 0,
  };
  return enhanced ? leEventOf('enhancedConnectionComplete', fields) : leEventOf('connectionComplete', fields);
};

export const channelSelection = (handle: number): Buffer =>
  leEventOf('channelSelectionAlgorithm', { handle, algorithm: SECOND_ALGORITHM });

/** A set has ended: by the link that has `handle`, or by its duration or number of events. */
export const setTerminated = (set: AdvertisingSet, status: number, handle = 0): Buffer =>
  leEventOf('advertisingSetTerminated', {
    status,
    set: set.number ?? 0,
    handle,
    completedEvents: set.events,
  });
