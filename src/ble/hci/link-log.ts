/** The LE links of controllers by their handles, as HCI events report them (Core 5.4 Vol 4 Part E 7.7.5 and 7.7.65). */
import { u8 } from '../../bytes/index.js';
import { EventCode, LeSubevent, events, type DeviceAddress } from './packets.js';
import { Status } from './status.js';

/** A link as its controller reports it to the host. */
export interface ReportedLink {
  readonly handle: number;
  /** Whether the host is the central; otherwise it is the peripheral. */
  readonly isCentral: boolean;
  readonly peer: DeviceAddress;
  /** The private address of this side, if the controller reports private addresses. */
  readonly privateAddress: DeviceAddress | undefined;
  readonly interval: number;
  readonly latency: number;
  readonly supervisionTimeout: number;
}

const CENTRAL = 0;

/** LE Enhanced Connection Complete [v2], which begins with the fields of [v1] (7.7.65.10). */
const ENHANCED_CONNECTION_COMPLETE_V2 = 0x29;

/** The new link in an LE Meta event without its code and length. @throws ShortPacket */
const newLink = (event: Buffer): ReportedLink | undefined => {
  const subevent = u8.read(event, 0);
  const isEnhanced =
    subevent === LeSubevent.enhancedConnectionComplete || subevent === ENHANCED_CONNECTION_COMPLETE_V2;
  if (!isEnhanced && subevent !== LeSubevent.connectionComplete) return undefined;
  const body = event.subarray(1);
  const enhanced = isEnhanced ? events.enhancedConnectionComplete.read(body) : undefined;
  const { status, handle, role, peerAddress, peerAddressType, ...parameters } =
    enhanced ?? events.connectionComplete.read(body);
  const { interval, latency, supervisionTimeout } = parameters;
  if (status !== Status.success) return undefined;
  return {
    ...{ handle, interval, latency, supervisionTimeout, isCentral: role === CENTRAL },
    // 2 and 3 are public and random identities.
    peer: { address: peerAddress, type: (peerAddressType & 1) === 0 ? 'public' : 'random' },
    privateAddress: enhanced && { address: enhanced.localResolvableAddress, type: 'random' },
  };
};

/** The links that have begun and not ended, of each controller by its number. */
export class LinkLog<L> {
  private readonly links = new Map<string, L>();

  /** `entryOf` makes the entry of a new link. */
  constructor(private readonly entryOf: (link: ReportedLink, controller: number) => L) {}

  get all(): readonly L[] {
    return [...this.links.values()];
  }

  get(handle: number, controller = 0): L | undefined {
    return this.links.get(`${controller}/${handle}`);
  }

  /** Adds a link that no LE event has reported. */
  add(link: L, handle: number, controller = 0): void {
    this.links.set(`${controller}/${handle}`, link);
  }

  /** Takes an event without its H4 type, and returns the link that begins or ends. @throws ShortPacket */
  take(event: Buffer, controller = 0): { readonly begun?: L; readonly ended?: L } {
    const code = u8.read(event, 0);
    const reported = code === EventCode.leMeta ? newLink(event.subarray(2)) : undefined;
    if (reported !== undefined) {
      const begun = this.entryOf(reported, controller);
      this.add(begun, reported.handle, controller);
      return { begun };
    }
    if (code !== EventCode.disconnectionComplete) return {};
    const { status, handle } = events.disconnectionComplete.read(event.subarray(2));
    const ended = status === Status.success ? this.get(handle, controller) : undefined;
    if (ended === undefined) return {};
    this.links.delete(`${controller}/${handle}`);
    return { ended };
  }

  /** The controllers were reset or are gone. */
  clear(): void {
    this.links.clear();
  }
}
