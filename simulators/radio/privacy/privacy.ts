import type { AdvertisingSet, SetAddresses } from '../advertising/advertising-set.js';
import type { HostSettings } from '../host/host-settings.js';
import { sameAddress } from '../../ble/device-address.js';
import {
  Property,
  type AdvertisingPdu,
  type DeviceAddress,
  type OwnAddress,
  type PeerAddress,
} from '../medium/pdu.js';
import type { PrivacyMedium } from './private-address.js';
import { ResolvingList } from './resolving-list.js';

/** Bits of Own_Address_Type: the random address instead of the public one, and a private one instead of either. */
const RANDOM = 0b01;
const PRIVATE = 0b10;

/** The addresses of a controller, and the addresses by which it knows its peers (Core 5.4 Vol 6 Part B 6). */
export class Privacy {
  readonly list: ResolvingList;

  /** `identity`: the address for the types "public". */
  constructor(
    private readonly identity: DeviceAddress,
    private readonly settings: HostSettings,
    medium: PrivacyMedium,
  ) {
    this.list = new ResolvingList(medium);
  }

  /**
   * The address of `Own_Address_Type` towards `peer`, an identity; each numbered set has its own random address.
   * Undefined: the random address was never set.
   */
  ownAddress(type: number, peer: DeviceAddress | undefined, set?: AdvertisingSet): OwnAddress | undefined {
    const isPrivate = (type & PRIVATE) !== 0 && peer !== undefined;
    const generated = isPrivate ? this.list.find(peer)?.local?.address : undefined;
    if (generated !== undefined) return { address: generated, type: 'random', isGenerated: true };
    if ((type & RANDOM) === 0) return this.identity;
    const address = set?.number === undefined ? this.settings.randomAddress : set.randomAddress;
    return address === undefined ? undefined : { address, type: 'random' };
  }

  /** The addresses of a set that is about to advertise; undefined as in `ownAddress`. */
  addressesOf(set: AdvertisingSet): (() => SetAddresses) | undefined {
    const { ownAddressType, target } = set.parameters;
    const directedAt = set.is(Property.directed) ? target : undefined;
    const first = this.ownAddress(ownAddressType, target, set);
    if (first === undefined) return undefined;
    if ((ownAddressType & PRIVATE) === 0) return () => ({ own: first, target: directedAt });
    return () => ({
      own: this.ownAddress(ownAddressType, target, set) ?? first,
      target: directedAt && this.targetAddress(directedAt),
    });
  }

  /** The sender of a received packet. Undefined: the packet must be ignored, as the sender has a key and does not use it. */
  identify(sender: DeviceAddress): PeerAddress | undefined {
    const { list } = this;
    if (!list.enabled || list.empty) return sender;
    const entry = list.resolve(sender);
    if (entry !== undefined) {
      entry.receivedAs = sender.address;
      return { ...entry.peer, resolvedFrom: sender.address };
    }
    const peer = list.find(sender);
    return peer?.peerIrk !== undefined && peer.mode === 'network' ? undefined : sender;
  }

  /** Whether `device` may be behind an address on the air. */
  mayBe(device: DeviceAddress, address: DeviceAddress): boolean {
    const entry = this.list.resolve(address);
    return sameAddress(device, address) || (entry !== undefined && sameAddress(device, entry.peer));
  }

  /**
   * An advertising packet with the identities that stand for its private addresses; `own` is the identity of its target.
   * Undefined: the packet must be ignored.
   */
  understand(pdu: AdvertisingPdu, own: DeviceAddress): AdvertisingPdu | undefined {
    const { list } = this;
    if (!list.enabled || list.empty) return pdu;
    const from = pdu.from && this.identify(pdu.from);
    if (from === undefined && pdu.from !== undefined) return undefined;
    const isTarget = pdu.target !== undefined && list.isOwn(pdu.target);
    return { ...pdu, from, target: isTarget ? { ...own, resolvedFrom: pdu.target.address } : pdu.target };
  }

  /** Whether directed advertising to `target` is for a controller that initiates as `own`. A private address excludes its identity (6.4). */
  isTarget(target: DeviceAddress, own: OwnAddress): boolean {
    return this.list.isOwn(target) || (own.isGenerated !== true && sameAddress(target, own));
  }

  private targetAddress(target: DeviceAddress): DeviceAddress {
    const address = this.list.find(target)?.target?.address;
    return address === undefined ? target : { address, type: 'random' };
  }
}
