/** What a host hears of a link's beginning (Core 5.4 Vol 4 Part E 7.7.65.1, 7.7.65.10, 7.7.65.18 and 7.7.65.20). */
import { leEventOf } from '../../src/ble/hci/packets.js';
import type { AdvertisingSet } from './advertising-set.js';
import type { LinkEnd, LinkParameters } from './link.js';
import { typeCode } from './pdu.js';

/** A link as far as its beginning tells. */
export type NewLink = Pick<LinkEnd, 'handle' | 'role' | 'peer'> & { link: { parameters: LinkParameters } };

const NO_ADDRESS = '00:00:00:00:00:00';
/** Channel Selection Algorithm #2. */
const SECOND_ALGORITHM = 1;

/** Without a link the attempt has failed with `status`. */
export const connectionComplete = (status: number, enhanced: boolean, made?: NewLink): Buffer => {
  const parameters = made?.link.parameters;
  const fields = {
    status,
    handle: made?.handle ?? 0,
    role: made?.role === 'peripheral' ? 1 : 0,
    peerAddressType: typeCode(made?.peer),
    peerAddress: made?.peer.address ?? NO_ADDRESS,
    localResolvableAddress: NO_ADDRESS,
    peerResolvableAddress: NO_ADDRESS,
    interval: Math.round((parameters?.interval ?? 0) / 1.25),
    latency: parameters?.latency ?? 0,
    supervisionTimeout: Math.round((parameters?.supervisionTimeout ?? 0) / 10),
    clockAccuracy: 0,
  };
  return enhanced ? leEventOf('enhancedConnectionComplete', fields) : leEventOf('connectionComplete', fields);
};

export const channelSelection = (handle: number): Buffer =>
  leEventOf('channelSelectionAlgorithm', { handle, algorithm: SECOND_ALGORITHM });

/** A set ended: with a link that has `handle`, or by its time or its number of events. */
export const setTerminated = (set: AdvertisingSet, status: number, handle = 0): Buffer =>
  leEventOf('advertisingSetTerminated', {
    status,
    set: set.number ?? 0,
    handle,
    completedEvents: set.events,
  });
