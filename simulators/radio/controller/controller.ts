import { PacketType } from '../../../src/ble/hci/packets.js';
import { Status } from '../../../src/ble/hci/status.js';
import { AcceptList } from '../scanning/accept-list.js';
import type { AdvertisingSet } from '../advertising/advertising-set.js';
import { AdvertisingSets } from '../advertising/advertising-sets.js';
import { CommandDispatcher } from '../commands/command-dispatcher.js';
import { commandTable } from '../commands/command-table.js';
import { Conformance } from '../conformance/conformance.js';
import { setTerminated } from '../connections/connection-events.js';
import { eventOf } from '../host/event-packets.js';
import { HostQueue } from '../host/host-queue.js';
import { HostSettings } from '../host/host-settings.js';
import { Initiator, Links } from '../connections/links.js';
import type { LinkController, LinkEnd, LinkParameters, Side } from '../connections/link.js';
import type { Medium } from '../medium/medium.js';
import { Property, type AddressType, type AdvertisingPdu } from '../medium/pdu.js';
import { Privacy } from '../privacy/privacy.js';
import { Scanner } from '../scanning/scanner.js';
import type { Violations } from '../conformance/violations.js';

/** The vendor-specific Hardware_Code of Hardware Error for a loss of power. */
const POWER_LOST = 0x01;

const DEFAULT_MAX_LINKS = 20;

/** The host of a controller. */
export interface Host {
  /** Takes a packet of the controller, its H4 type byte first. */
  receive(packet: Buffer): void;
  /** The controller has lost or regained its power. */
  power(on: boolean): void;
}

export interface ControllerOptions {
  /** Upper case, colon-separated. */
  readonly address: string;
  /** The type of `address`, which the host calls "public": some devices use a random static address all their life. */
  readonly addressType?: AddressType;
  readonly name?: string;
  readonly maxLinks?: number;
  /** Reports violations of the host, and drops data beyond the buffers. */
  readonly strict?: boolean;
  /** Its host is another program, or Linux. */
  readonly isRemote?: boolean;
}

/** The air, as a controller needs it. */
interface ControllerAir extends Medium {
  readonly violations: Violations;
  readonly advertisingEvents: {
    begin(controller: Controller, set: AdvertisingSet, duration: number): void;
    listeningChanged(controller: Controller): void;
  };
  changed(): void;
}

/** One Bluetooth LE controller: commands and data of its host in, events and data out (Core 5.4 Vol 4 Part E). */
export class Controller implements LinkController {
  readonly address: string;
  readonly name: string;
  readonly isRemote: boolean;
  readonly settings = new HostSettings();
  readonly advertising = new AdvertisingSets();
  readonly acceptList = new AcceptList();
  readonly privacy: Privacy;
  readonly scanner = new Scanner();
  readonly initiator = new Initiator();
  readonly links: Links;
  readonly host: HostQueue;
  private readonly commands: CommandDispatcher;
  private readonly conformance: Conformance;
  private isPowered = true;
  /** Faults that have switched the controller off; the controller itself stands for its switch. */
  private readonly offBy = new Set<object>();

  constructor(
    private readonly air: ControllerAir,
    /** Its index in captures. */
    readonly index: number,
    {
      address,
      addressType = 'public',
      name,
      maxLinks = DEFAULT_MAX_LINKS,
      strict = false,
      isRemote = false,
    }: ControllerOptions,
    private readonly owner: Host,
  ) {
    const { settings, advertising, acceptList, scanner, initiator } = this;
    this.address = address;
    this.name = name ?? `air${index}`;
    this.isRemote = isRemote;
    this.privacy = new Privacy({ address, type: addressType }, settings, air);
    this.conformance = new Conformance(air.time, air.violations, this.name, strict);
    this.host = new HostQueue(this, air, settings, owner);
    this.links = new Links(air, this.host, settings, this.conformance, maxLinks);
    const handlers = commandTable({
      ...{ settings, advertising, acceptList, scanner, initiator, address },
      medium: air,
      host: this.host,
      links: this.links,
      privacy: this.privacy,
      channels: {
        advertise: (set, duration) => air.advertisingEvents.begin(this, set, duration),
        listeningChanged: () => air.advertisingEvents.listeningChanged(this),
      },
      reset: () => this.reset(),
    });
    this.commands = new CommandDispatcher(this, handlers, air, this.conformance, this.host);
  }

  get powered(): boolean {
    return this.isPowered;
  }

  /** Receives a packet of the host; a controller without power ignores it. */
  receive(packet: Buffer): void {
    if (!this.isPowered || packet.length < 4) return;
    this.conformance.packet = this.air.trace?.fromHost(this.index, packet);
    if (packet[0] === PacketType.command) this.commands.receive(packet);
    else if (packet[0] === PacketType.acl) this.links.receive(packet);
    else this.conformance.sentUnknownType(packet.readUInt8(0));
  }

  /**
   * Switches the controller off, which resets it and ends its links, or on again, once each `by` that switched it off
   * has switched it on.
   */
  power(requested: boolean, by: object = this): void {
    if (requested) this.offBy.delete(by);
    else this.offBy.add(by);
    const on = this.offBy.size === 0;
    if (on === this.isPowered) return;
    this.commands.delayed.clear();
    this.host.delayed.clear();
    if (!on) this.host.sendUnhooked(eventOf('hardwareError', { code: POWER_LOST }));
    this.reset();
    this.host.deliver();
    this.isPowered = on;
    this.air.changed();
    this.owner.power(on);
  }

  /** Handles now the packets that hooks delay. */
  release(): void {
    this.commands.delayed.release();
    this.host.delayed.release();
  }

  /** An advertising packet was received while scanning. */
  receiveAdvertising(pdu: AdvertisingPdu, rssi: number): void {
    for (const report of this.scanner.report(pdu, rssi)) this.host.send(report);
  }

  /** A link was established; `set`: the advertising set of a peripheral. */
  connected(end: LinkEnd, set?: AdvertisingSet): void {
    if (end.role === 'central') this.stopInitiating();
    else set?.stop();
    this.links.add(end);
    if (set?.number !== undefined) this.host.send(setTerminated(set, Status.success, end.handle));
  }

  /** The peer never received the request: the host gets a link, and after `ms` its end. */
  connectionFails({ ownAddress, peerAddress }: Side, parameters: LinkParameters, ms: number): void {
    const handle = this.links.takeHandle();
    this.stopInitiating();
    this.links.fail({ handle, role: 'central', ownAddress, peerAddress, link: { parameters } }, ms);
  }

  /** The duration or the events of a set are over; legacy directed advertising ends like a connection attempt. */
  advertisingEnded(set: AdvertisingSet, status: number): void {
    set.stop();
    if (set.number !== undefined) this.host.send(setTerminated(set, status));
    else if (set.is(Property.directed)) this.host.send(this.links.connectionComplete(status));
  }

  private stopInitiating(): void {
    this.initiator.attempt = undefined;
    this.air.advertisingEvents.listeningChanged(this);
  }

  /** Back to the state after power-on (Core 5.4 Vol 4 Part E 7.3.2). */
  private reset(): void {
    this.conformance.reset();
    this.advertising.reset();
    this.acceptList.clear();
    this.privacy.list.reset();
    this.scanner.reset();
    this.initiator.attempt = undefined;
    this.settings.reset();
    this.host.reset();
    this.links.reset();
    this.air.advertisingEvents.listeningChanged(this);
  }
}
