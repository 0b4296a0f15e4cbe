/** The devices of a capture: their links and their advertisements. */
import { address as addressField, unlessShort, u16, u8 } from '../../src/bytes/index.js';
import { Channel, EventCode, LeSubevent, PacketType, events } from '../../src/ble/hci/packets.js';
import { advertisingReports } from '../ble/advertising-reports.js';
import { Reassembly, aclHead } from '../ble/l2cap.js';
import { Advertised } from './advertised.js';
import type { HciRecord } from './btsnoop.js';
import { UnknownLinks } from './unknown-links.js';

/** One ATT packet of a link. */
export interface RecordedPdu {
  readonly fromDevice: boolean;
  readonly pdu: Buffer;
  /** Milliseconds. */
  readonly at: number;
}

/** A link that the recorded host made to a device, from its beginning. */
export interface RecordedLink {
  /** Upper case, colon-separated. */
  readonly address: string;
  readonly addressType: 'public' | 'random';
  /** The record of its Connection Complete event. */
  readonly record: number;
  /** When it was made. Milliseconds. */
  readonly at: number;
  readonly pdus: RecordedPdu[];
  /** The record in which it was encrypted. */
  encryptedAt?: number;
  /** The first of its records that the capture did not keep whole. */
  partialAt?: number;
}

const CENTRAL = 0;
const CLASSIC_CONNECTION_COMPLETE = 0x03;
const ENCRYPTION_CHANGE_V2 = 0x59;
const ENHANCED_CONNECTION_COMPLETE_V2 = 0x29;

const connectionEvents: readonly number[] = [
  LeSubevent.connectionComplete,
  LeSubevent.enhancedConnectionComplete,
  ENHANCED_CONNECTION_COMPLETE_V2,
];

/** How many ATT packets of a device are kept: some hours of one that notifies 50 values a second. */
const KEPT_PDUS = 1_000_000;

/** A link as it is read: `undefined` is one whose other side is no device that could be replayed. */
interface OpenLink {
  readonly link: RecordedLink | undefined;
  /** The part of a packet that has arrived, by its sender. */
  readonly pending: { readonly host: Reassembly; readonly device: Reassembly };
}

/** Reads a capture packet by packet, and keeps what one device sent and received. */
export class Recorded {
  readonly links: RecordedLink[] = [];
  readonly advertised: Advertised;
  readonly unknownLinks = new UnknownLinks();
  /** Of devices to which links were made. */
  readonly addresses = new Set<string>();
  /** Of devices to which BR/EDR links were made. */
  readonly classic = new Set<string>();
  /** Links in which the recorded host was the peripheral. */
  asPeripheral = 0;
  /** The first record of an ATT packet that was one too many to be kept. */
  fullAt: number | undefined;
  private keptBytes = 0;
  private readonly open = new Map<string, OpenLink>();

  /** @param wanted the device that will be replayed; undefined: the only one that there is. */
  constructor(
    readonly wanted: string | undefined,
    private readonly limit = KEPT_PDUS,
  ) {
    this.advertised = new Advertised((address) => !this.undecided && this.concerns(address));
  }

  read(record: HciRecord): void {
    unlessShort(() => {
      const { type, body } = record;
      if (type === PacketType.event) this.event(record, u8.read(body, 0), body.subarray(2));
      if (type === PacketType.acl) this.data(record);
    });
  }

  private event(record: HciRecord, code: number, body: Buffer): void {
    const { controller } = record;
    if (code === EventCode.leMeta) this.leEvent(record, u8.read(body, 0), body.subarray(1));
    if (code === CLASSIC_CONNECTION_COMPLETE && u8.read(body, 0) === 0) {
      this.classic.add(addressField.read(body, 3));
      this.begin(controller, u16.read(body, 1), undefined);
    }
    if (code === EventCode.disconnectionComplete) {
      const { status, handle } = events.disconnectionComplete.read(body);
      if (status === 0) this.open.delete(`${controller}/${handle}`);
    }
    if (code === EventCode.encryptionChange || code === ENCRYPTION_CHANGE_V2) {
      const { status, handle, enabled } = events.encryptionChange.read(body);
      const link = this.open.get(`${controller}/${handle}`)?.link;
      if (link !== undefined && status === 0 && enabled !== 0) link.encryptedAt ??= record.number;
    }
  }

  private leEvent(record: HciRecord, subevent: number, body: Buffer): void {
    for (const report of advertisingReports(subevent, body, record.at)) this.advertised.add(report);
    if (!connectionEvents.includes(subevent)) return;
    // All three begin with the same fields (Core 5.4 Vol 4 Part E 7.7.65.1, .10).
    const [status, handle, role] = [u8.read(body, 0), u16.read(body, 1), u8.read(body, 3)];
    if (status !== 0) return;
    if (role !== CENTRAL) {
      this.asPeripheral += 1;
      this.begin(record.controller, handle, undefined);
      return;
    }
    const link: RecordedLink = {
      address: addressField.read(body, 5),
      // 2 and 3 are public and random identities.
      addressType: (u8.read(body, 4) & 1) === 0 ? 'public' : 'random',
      record: record.number,
      at: record.at,
      pdus: [],
    };
    this.begin(record.controller, handle, this.isPlayed(link) ? link : undefined);
  }

  private begin(controller: number, handle: number, link: RecordedLink | undefined): void {
    const pending = { host: new Reassembly(), device: new Reassembly() };
    this.open.set(`${controller}/${handle}`, { link, pending });
  }

  /** Whether it is not known which of several devices is meant: then none is kept, and only their names matter. */
  private get undecided(): boolean {
    return this.wanted === undefined && this.addresses.size > 1;
  }

  private concerns(address: string): boolean {
    return this.wanted === undefined ? this.addresses.has(address) : address === this.wanted;
  }

  /** Whether one thing more may be kept. */
  private hasRoom(number: number): boolean {
    this.keptBytes += 1;
    if (this.keptBytes > this.limit) this.fullAt ??= number;
    return this.keptBytes <= this.limit;
  }

  /** Whether this link is one of those that will be played. */
  private isPlayed(link: RecordedLink): boolean {
    this.addresses.add(link.address);
    if (this.undecided) this.links.splice(0).forEach(({ pdus }) => pdus.splice(0));
    if (this.undecided || !this.concerns(link.address)) return false;
    const played = this.hasRoom(link.record);
    if (played) this.links.push(link);
    return played;
  }

  private data({ controller, body, fromHost, whole, number, at }: HciRecord): void {
    const { handle, continues } = aclHead(body);
    const open = this.open.get(`${controller}/${handle}`);
    if (open === undefined) {
      this.unknownLinks.take(body);
      return;
    }
    const { link, pending } = open;
    if (link === undefined || this.undecided) return;
    if (!whole) link.partialAt ??= number;
    const packet = pending[fromHost ? 'host' : 'device'].take(body.subarray(4), continues);
    if (packet?.channel !== Channel.att || packet.payload.length === 0 || !this.hasRoom(number)) return;
    link.pdus.push({ fromDevice: !fromHost, pdu: Buffer.from(packet.payload), at });
  }
}
