/** The devices of a capture: their links and their advertisements. */
import { address as addressField, unlessShort, u16, u8 } from '../../../src/bytes/index.js';
import { LinkLog, type ReportedLink } from '../../../src/ble/hci/link-log.js';
import { Channel, EventCode, PacketType, events } from '../../../src/ble/hci/packets.js';
import { advertisingReports } from '../../ble/advertising-reports.js';
import { Reassembly, aclHead } from '../../ble/l2cap.js';
import { Advertised } from './advertising.js';
import type { HciRecord } from './captures/capture.js';
import { Status } from '../../../src/ble/hci/status.js';
import { UnknownLinks } from './unknown-links.js';

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

const CLASSIC_CONNECTION_COMPLETE = 0x03;
const ENCRYPTION_CHANGE_V2 = 0x59;

/** How many ATT packets of a device are kept: some hours of one that notifies 50 values a second. */
const KEPT_PDUS = 1_000_000;

/** A link as it is read. */
interface OpenLink {
  /** Undefined: a link of BR/EDR. */
  readonly reported: ReportedLink | undefined;
  /** Undefined: a link that is not replayed. */
  recorded: RecordedLink | undefined;
  /** The part of a packet that has arrived, by its sender. */
  readonly pending: { readonly host: Reassembly; readonly device: Reassembly };
}

const openLink = (reported?: ReportedLink): OpenLink => ({
  ...{ reported, recorded: undefined },
  pending: { host: new Reassembly(), device: new Reassembly() },
});

/** Reads a capture packet by packet, and keeps what one device sent and received. */
export class Recorded {
  readonly links: RecordedLink[] = [];
  readonly advertised: Advertised;
  readonly unknownLinks = new UnknownLinks();
  /** Addresses of devices with links. */
  readonly addresses = new Set<string>();
  /** Addresses of devices with links that were encrypted. */
  readonly encrypted = new Set<string>();
  /** Addresses of devices with BR/EDR links. */
  readonly classic = new Set<string>();
  /** Links in which the recorded host was the peripheral. */
  asPeripheral = 0;
  /** The record of the first ATT packet beyond the limit. */
  fullAt: number | undefined;
  private keptPackets = 0;
  private readonly open = new LinkLog<OpenLink>(openLink);

  /** @param device the address of the device to replay; undefined: the only device. */
  constructor(
    readonly device: string | undefined,
    private readonly limit = KEPT_PDUS,
  ) {
    this.advertised = new Advertised((address) => !this.undecided && this.concerns(address));
  }

  read(record: HciRecord): void {
    unlessShort(() => {
      const { type } = record;
      if (type === PacketType.event) this.event(record);
      if (type === PacketType.acl) this.data(record);
    });
  }

  private event({ controller, body: event, number, at }: HciRecord): void {
    const [code, body] = [u8.read(event, 0), event.subarray(2)];
    const { begun } = this.open.take(event, controller);
    if (begun?.reported !== undefined) begun.recorded = this.recordedLink(begun.reported, number, at);
    if (code === EventCode.leMeta) {
      const reports = advertisingReports(u8.read(body, 0), body.subarray(1), at);
      for (const report of reports) this.advertised.add(report);
    }
    if (code === CLASSIC_CONNECTION_COMPLETE && u8.read(body, 0) === Status.success) {
      this.classic.add(addressField.read(body, 3));
      this.open.add(openLink(), u16.read(body, 1), controller);
    }
    if (code === EventCode.encryptionChange || code === ENCRYPTION_CHANGE_V2) {
      const { status, handle, enabled } = events.encryptionChange.read(body);
      const link = this.open.get(handle, controller);
      if (link?.reported === undefined || status !== Status.success || enabled === 0) return;
      this.encrypted.add(link.reported.peer.address);
      if (link.recorded !== undefined) link.recorded.encryptedAt ??= number;
    }
  }

  private recordedLink(
    { isCentral, peer }: ReportedLink,
    record: number,
    at: number,
  ): RecordedLink | undefined {
    const { address, type: addressType } = peer;
    const link: RecordedLink = { address, addressType, record, at, pdus: [] };
    if (isCentral) return this.isPlayed(link) ? link : undefined;
    this.asPeripheral += 1;
    return undefined;
  }

  /** Whether the capture has several devices and none is chosen: then only their names are kept. */
  private get undecided(): boolean {
    return this.device === undefined && this.addresses.size > 1;
  }

  private concerns(address: string): boolean {
    return this.device === undefined ? this.addresses.has(address) : address === this.device;
  }

  private hasRoom(number: number): boolean {
    this.keptPackets += 1;
    if (this.keptPackets > this.limit) this.fullAt ??= number;
    return this.keptPackets <= this.limit;
  }

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
    const open = this.open.get(handle, controller);
    if (open === undefined) {
      this.unknownLinks.take(body);
      return;
    }
    const { recorded: link, pending } = open;
    if (link === undefined || this.undecided) return;
    if (!whole) link.partialAt ??= number;
    const packet = pending[fromHost ? 'host' : 'device'].take(body.subarray(4), continues);
    if (packet?.channel !== Channel.att || packet.payload.length === 0 || !this.hasRoom(number)) return;
    link.pdus.push({ fromDevice: !fromHost, pdu: Buffer.from(packet.payload), at });
  }
}
