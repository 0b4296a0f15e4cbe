import { ACL_HEADER, aclData, aclHandle, Boundary, LeSubevent } from '../../../src/ble/hci/packets.js';
import { Status } from '../../../src/ble/hci/status.js';
import type { Cancel } from '../../../src/async/time.js';
import type { Conformance } from '../conformance/conformance.js';
import { channelSelection, connectionComplete, type NewLink } from './connection-events.js';
import { eventOf } from '../host/event-packets.js';
import { linkPacket } from '../medium/hooks.js';
import type { HostQueue } from '../host/host-queue.js';
import { wantsSubevent, type CommandSet, type HostSettings } from '../host/host-settings.js';
import type { LinkEnd, LinkParameters } from './link.js';
import type { Medium } from '../medium/medium.js';
import { isDevice, type DeviceAddress } from '../medium/pdu.js';
import { aclBuffers } from '../host/supported.js';

/** Connection handles have 12 bits; up to 0x0EFF they are for links. bleno takes 0 for "no link". */
const FIRST_HANDLE = 0x0040;
const LAST_HANDLE = 0x0eff;

/** Link_Type of Data Buffer Overflow (Core 5.4 Vol 4 Part E 7.7.26). */
const ACL_LINK = 1;

/** The links of one controller by their handles, with their data and events. */
export class Links {
  private readonly ends = new Map<number, LinkEnd>();
  /** Reported links that are never established, by handle; the value cancels the report of the link's end. */
  private readonly failing = new Map<number, Cancel>();
  private lastHandle = LAST_HANDLE;
  /** Data packets taken from the host and not returned yet, of all links. */
  private occupied = 0;

  constructor(
    private readonly medium: Medium,
    private readonly host: HostQueue,
    private readonly settings: HostSettings,
    private readonly conformance: Conformance,
    readonly max: number,
  ) {}

  get size(): number {
    return this.ends.size;
  }

  get full(): boolean {
    return this.ends.size >= this.max;
  }

  get(handle: number): LinkEnd | undefined {
    return this.ends.get(handle);
  }

  handles(): readonly number[] {
    return [...this.ends.keys()];
  }

  /** The controllers at the other ends. */
  peers(): readonly LinkEnd['peer'][] {
    return [...this.ends.values()].map(({ peer }) => peer);
  }

  isConnectedTo(address: DeviceAddress): boolean {
    return [...this.ends.values()].some(({ peerAddress }) => isDevice(peerAddress, address));
  }

  takeHandle(): number {
    do {
      this.lastHandle = this.lastHandle >= LAST_HANDLE ? FIRST_HANDLE : this.lastHandle + 1;
    } while (this.ends.has(this.lastHandle) || this.failing.has(this.lastHandle));
    return this.lastHandle;
  }

  add(end: LinkEnd): void {
    this.ends.set(end.handle, end);
    this.report(end);
  }

  /** Reports a link that will never be established, and after `ms` its end. */
  fail(link: NewLink, ms: number): void {
    const { handle } = link;
    this.report(link);
    const end = (): void => this.endFailing(handle, Status.failedToEstablish);
    this.failing.set(handle, this.medium.time.after(ms, end));
  }

  /** Whether the host has a report of a link that is never established, but not yet of its end. */
  isFailing(handle: number): boolean {
    return this.failing.has(handle);
  }

  /** Reports now the end of a link that is never established. */
  endFailing(handle: number, reason: number): void {
    this.failing.get(handle)?.();
    if (this.failing.delete(handle)) this.disconnectionComplete(handle, reason);
  }

  /** The event for the end of a connection attempt; without a link it failed with `status`. */
  connectionComplete(status: number, link?: NewLink): Buffer {
    const enhanced = wantsSubevent(LeSubevent.enhancedConnectionComplete, this.settings.leEventMask);
    return connectionComplete(status, enhanced, link);
  }

  ended(end: LinkEnd, reason: number): void {
    if (!this.isCurrent(end)) return;
    this.ends.delete(end.handle);
    this.occupied -= end.occupied;
    this.host.forgetBuffers(end.handle);
    this.disconnectionComplete(end.handle, reason);
  }

  /** A data packet from the host, its H4 type byte first. */
  receive(packet: Buffer): void {
    const boundary = (packet.readUInt16LE(1) >> 12) & 0b11;
    const end = this.ends.get(aclHandle(packet));
    const length = packet.length - ACL_HEADER;
    this.conformance.sentData(packet, end);
    if (end === undefined || length < 0 || packet.readUInt16LE(3) !== length) return;
    if (this.conformance.overruns(this.occupied, length)) {
      this.host.send(eventOf('dataBufferOverflow', { linkType: ACL_LINK }));
      return;
    }
    this.occupied += 1;
    end.occupied += 1;
    const first = boundary !== Boundary.continuing;
    const { hooks } = this.medium;
    if (hooks.at.acl_from_host === undefined) {
      end.link.send(end, { kind: 'data', first, packet });
      return;
    }
    const passing = linkPacket(end, first, aclData(packet));
    if (hooks.passes('acl_from_host', passing)) {
      const { payload, delay } = passing;
      end.link.send(end, { kind: 'data', first, packet, payload }, delay);
    } else {
      this.completed(end);
    }
  }

  /** Frees the buffer of one data packet of `end`; the end of a link has freed its buffers already. */
  completed(end: LinkEnd): void {
    if (!this.isCurrent(end)) return;
    this.host.returnBuffer(end.handle, this.occupied >= aclBuffers.packets);
    end.occupied -= 1;
    this.occupied -= 1;
  }

  /** Drops all links without an event for this host (Core 5.4 Vol 4 Part E 7.3.2). */
  reset(): void {
    this.occupied = 0;
    for (const cancel of this.failing.values()) cancel();
    this.failing.clear();
    const ends = [...this.ends.values()];
    this.ends.clear();
    for (const end of ends) end.link.abandon(end);
  }

  private report(link: NewLink): void {
    this.conformance.linkReported(link.handle);
    this.host.send(this.connectionComplete(Status.success, link));
    this.host.send(channelSelection(link.handle));
  }

  private disconnectionComplete(handle: number, reason: number): void {
    this.conformance.linkEnded(handle);
    this.host.send(eventOf('disconnectionComplete', { status: Status.success, handle, reason }));
  }

  private isCurrent(end: LinkEnd): boolean {
    return this.ends.get(end.handle) === end;
  }
}

/** A connection that the host requested and that is not established yet. */
export interface ConnectionAttempt {
  /** Undefined: the first device on the filter accept list that is received. */
  readonly peer: DeviceAddress | undefined;
  readonly ownAddressType: number;
  readonly commandSet: CommandSet;
  /** Bits of the primary PHYs to listen on. */
  readonly phys: number;
  /** The parameters of a link on a PHY (1M, 2M, Coded). */
  readonly parametersOn: (phy: number) => LinkParameters;
}

/** The initiating state of one controller (Core 5.4 Vol 6 Part B 4.4.4). */
export class Initiator {
  attempt: ConnectionAttempt | undefined;
}
