import { Boundary, LeSubevent, PacketType, eventOf } from '../../src/ble/hci/packets.js';
import { Status } from '../../src/ble/hci/status.js';
import type { Cancel } from '../../src/time.js';
import { AcceptList } from './accept-list.js';
import type { Air } from './air.js';
import type { AdvertisingSet } from './advertising-set.js';
import { AdvertisingSets } from './advertising-sets.js';
import { CommandDesk } from './command-desk.js';
import { Conformance } from './conformance.js';
import { channelSelection, connectionComplete, setTerminated, type NewLink } from './connection-events.js';
import { passesMask, wantsSubevent } from './event-mask.js';
import { linkPacket } from './hooks.js';
import { HostQueue } from './host-queue.js';
import { HostSettings } from './host-settings.js';
import type { Initiating } from './initiating-commands.js';
import type { LinkEnd } from './link.js';
import { Property, type AddressType, type AdvertisingPdu, type DeviceAddress } from './pdu.js';
import { Scanner } from './scanner.js';

/** Connection handles are 12 bits wide; up to 0x0EFF they are for links. bleno takes 0 for none. */
const FIRST_HANDLE = 0x0040;
const LAST_HANDLE = 0x0eff;

/** Link type of Data Buffer Overflow (Core 5.4 Vol 4 Part E 7.7.26), which strict mode tells a host that overran its buffers. */
const ACL_LINK = 1;

/** Random addresses of a host's own are types 1 and, where the resolving list has nothing better, 3. */
const RANDOM = 0b01;

/** Hardware Error's code is the vendor's own; ours says that the adapter lost its power. */
const POWER_LOST = 0x01;

/** What a controller is attached to. */
export interface Host {
  /** A packet for the host, H4 type byte first. */
  receive(packet: Buffer): void;
  /** The controller lost or regained its power. */
  power(on: boolean): void;
}

export interface ControllerOptions {
  readonly address: string;
  /** What the address is, where the host says "public": a device may go by a random static address all its life. */
  readonly addressType?: AddressType;
  readonly name?: string;
  /** How many links it has room for. */
  readonly maxLinks?: number;
  /** It reports what its host does wrong, and loses data that it has no buffer for. */
  readonly strict?: boolean;
}

/** One Bluetooth LE controller: a host's commands in, its events and data out (Core 5.4 Vol 4 Part E). */
export class Controller {
  readonly address: string;
  readonly name: string;
  readonly maxLinks: number;
  readonly advertising = new AdvertisingSets();
  readonly acceptList = new AcceptList();
  readonly scanner = new Scanner();
  readonly links = new Map<number, LinkEnd>();
  initiating: Initiating | undefined;
  settings = new HostSettings();
  readonly commands: CommandDesk;
  private readonly identityType: AddressType;
  private readonly conformance: Conformance;
  /** Links that the host was told of and that never come about, by handle, with what holds their end back. */
  private readonly failing = new Map<number, Cancel>();
  private lastHandle = LAST_HANDLE;
  private isPowered = true;
  /** Who has switched it off, itself for its own switch. */
  private readonly offBy = new Set<object>();
  private resets = 0;
  /** Data packets taken from the host and not returned yet. */
  private occupied = 0;
  private readonly forHost: HostQueue;

  constructor(
    readonly air: Air,
    /** Which capture index this controller has. */
    readonly index: number,
    options: ControllerOptions,
    private readonly host: Host,
  ) {
    this.address = options.address;
    this.identityType = options.addressType ?? 'public';
    this.name = options.name ?? `air${index}`;
    this.maxLinks = options.maxLinks ?? 20;
    this.conformance = new Conformance(air, this.name, options.strict ?? false);
    this.forHost = new HostQueue(this, host);
    this.commands = new CommandDesk(this, this.conformance, this.forHost);
  }

  get powered(): boolean {
    return this.isPowered;
  }

  /** The address behind `Own_Address_Type`, each numbered set having its own; undefined for a random one never set. */
  ownAddress(ownAddressType: number, set?: AdvertisingSet): DeviceAddress | undefined {
    const random = set?.number === undefined ? this.settings.randomAddress : set.randomAddress;
    if ((ownAddressType & RANDOM) === 0) return { address: this.address, type: this.identityType };
    return random === undefined ? undefined : { address: random, type: 'random' };
  }

  /** A packet from the host. A controller without power hears nothing. */
  receive(packet: Buffer): void {
    if (!this.isPowered || packet.length < 4) return;
    this.air.trace?.fromHost(this.index, packet);
    if (packet[0] === PacketType.command) this.commands.take(packet);
    else if (packet[0] === PacketType.acl) this.data(packet);
    else this.conformance.sentUnknownType(packet.readUInt8(0));
  }

  /**
   * Off: all links are lost, the air hears no more of it. On, once everybody who switched it off has switched it on
   * again: as after a reset.
   */
  power(wanted: boolean, by: object = this): void {
    if (wanted) this.offBy.delete(by);
    else this.offBy.add(by);
    const on = this.offBy.size === 0;
    if (on === this.isPowered) return;
    this.commands.dropHeld();
    this.forHost.dropHeld();
    const lost = eventOf('hardwareError', { code: POWER_LOST });
    if (!on && this.wants(lost)) this.forHost.unhooked(lost);
    this.reset();
    this.forHost.deliver();
    this.isPowered = on;
    this.air.changed();
    this.host.power(on);
  }

  /** Back to the state after power-on; links are gone without a word to this host (Core 5.4 Vol 4 Part E 7.3.2). */
  reset(): void {
    this.resets += 1;
    this.conformance.reset();
    this.advertising.reset();
    this.acceptList.clear();
    this.scanner.reset();
    this.initiating = undefined;
    this.settings = new HostSettings();
    this.occupied = 0;
    this.forHost.forgetAllBuffers();
    for (const cancel of this.failing.values()) cancel();
    this.failing.clear();
    const ends = [...this.links.values()];
    this.links.clear();
    for (const end of ends) end.link.vanish(end);
    this.air.listening(this);
  }

  /** What hooks hold back passes now. */
  release(): void {
    this.commands.release();
    this.forHost.release();
  }

  /** As `task`, which does nothing any more once the host has reset the controller. */
  unlessReset(task: () => void): () => void {
    const { resets } = this;
    return () => {
      if (this.resets === resets) task();
    };
  }

  takeHandle(): number {
    do {
      this.lastHandle = this.lastHandle >= LAST_HANDLE ? FIRST_HANDLE : this.lastHandle + 1;
    } while (this.links.has(this.lastHandle) || this.failing.has(this.lastHandle));
    return this.lastHandle;
  }

  /** An advertising packet reached the antenna while scanning. */
  hear(pdu: AdvertisingPdu, rssi: number): void {
    for (const report of this.scanner.report(pdu, rssi)) this.toHost(report);
  }

  /** A link came about; `set` is what a peripheral advertised. */
  linkMade(end: LinkEnd, set?: AdvertisingSet): void {
    this.links.set(end.handle, end);
    if (end.role === 'central') {
      this.initiating = undefined;
      this.air.listening(this);
    } else {
      set?.stop();
    }
    this.linkTold(end);
    if (set?.number !== undefined) this.toHost(setTerminated(set, Status.success, end.handle));
  }

  /** A set's time or number of events is over; legacy directed advertising ends like an attempt to connect. */
  advertisingEnded(set: AdvertisingSet, status: number): void {
    set.stop();
    if (set.number !== undefined) this.toHost(setTerminated(set, status));
    else if (set.is(Property.directed)) this.connectionComplete(status);
  }

  /** Tells the host of a link. */
  private linkTold(made: NewLink): void {
    this.conformance.linkTold(made.handle);
    this.connectionComplete(Status.success, made);
    this.toHost(channelSelection(made.handle));
  }

  /** Tells the host of a link that never comes about, and after `ms` of its end. */
  linkFails(made: NewLink, ms: number): void {
    const { handle } = made;
    this.linkTold(made);
    const end = (): void => this.endFailing(handle, Status.failedToEstablish);
    this.failing.set(handle, this.air.clock.after(ms, end));
  }

  /** Whether the host was told of a link that never comes about, and not yet of its end. */
  isFailing(handle: number): boolean {
    return this.failing.has(handle);
  }

  /** Tells of the end of such a link, which the host may wish for sooner. */
  endFailing(handle: number, reason: number): void {
    this.failing.get(handle)?.();
    if (this.failing.delete(handle)) this.disconnectionComplete(handle, reason);
  }

  /** Tells the host how its connection attempt ended. Without a link it failed. */
  connectionComplete(status: number, made?: NewLink): void {
    const enhanced = wantsSubevent(LeSubevent.enhancedConnectionComplete, this.settings.leEventMask);
    this.toHost(connectionComplete(status, enhanced, made));
  }

  linkEnded(end: LinkEnd, reason: number): void {
    if (!this.has(end)) return;
    this.links.delete(end.handle);
    this.occupied = Math.max(0, this.occupied - end.occupied);
    this.forHost.forgetBuffers(end.handle);
    this.disconnectionComplete(end.handle, reason);
  }

  disconnectionComplete(handle: number, reason: number): void {
    this.conformance.linkEnded(handle);
    this.toHost(eventOf('disconnectionComplete', { status: Status.success, handle, reason }));
  }

  /** A fragment from the other end of a link, which this end has for its host; the boundary is the host's again. */
  deliver(end: LinkEnd, first: boolean, data: Buffer): void {
    this.forHost.data(end, first, data);
  }

  /** The buffer of one data packet of `end` is free again; those of a link that ended are already. */
  completed(end: LinkEnd): void {
    if (!this.has(end)) return;
    end.occupied -= 1;
    this.occupied -= 1;
    this.forHost.returnBuffer(end.handle);
  }

  /** Whether the host's masks let an event through. */
  wants(event: Buffer): boolean {
    return passesMask(event, this.settings.eventMask, this.settings.leEventMask);
  }

  /** An event for the host, if its masks want it. */
  toHost(event: Buffer): void {
    if (this.wants(event)) this.forHost.event(event);
  }

  private has(end: LinkEnd): boolean {
    return this.links.get(end.handle) === end;
  }

  private data(packet: Buffer): void {
    const boundary = (packet.readUInt16LE(1) >> 12) & 0b11;
    const end = this.links.get(packet.readUInt16LE(1) & 0x0fff);
    const body = packet.subarray(5);
    this.conformance.sentData(packet, end);
    if (end === undefined || packet.length < 5 || packet.readUInt16LE(3) !== body.length) return;
    if (this.conformance.overruns(this.occupied, body.length)) {
      this.toHost(eventOf('dataBufferOverflow', { linkType: ACL_LINK }));
      return;
    }
    this.occupied += 1;
    end.occupied += 1;
    const first = boundary !== Boundary.continuing;
    const data = Buffer.from(body);
    if (this.air.hooks.at.acl_from_host === undefined) {
      end.link.send(end, { kind: 'data', first, data });
      return;
    }
    const passing = linkPacket(end, first, data);
    if (this.air.hooks.passes('acl_from_host', passing)) {
      end.link.send(end, { kind: 'data', first, data: passing.payload }, passing.delay);
    } else {
      this.completed(end);
    }
  }
}
