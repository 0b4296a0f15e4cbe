/** What the packets of a capture say of the devices around it: their links, and what they advertised. */
import { address as addressField, unlessShort } from '../../src/ble/hci/layout.js';
import { Boundary, EventCode, LeSubevent, PacketType, events } from '../../src/ble/hci/packets.js';
import type { HciRecord } from './btsnoop.js';
import { advertisingReports, type Report } from './reports.js';

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
  readonly pdus: RecordedPdu[];
  /** The record in which it was encrypted. */
  encryptedAt?: number;
  /** The first of its records that the capture did not keep whole. */
  partialAt?: number;
}

export interface Recorded {
  readonly links: readonly RecordedLink[];
  readonly reports: readonly Report[];
  /** Links in which the recorded host was the peripheral. */
  readonly asPeripheral: number;
  /** Data packets of links that began before the capture. */
  readonly strays: number;
}

const CENTRAL = 0;
const ATT_CHANNEL = 0x0004;
const L2CAP_HEADER = 4;
const ENCRYPTION_CHANGE_V2 = 0x59;
const ENHANCED_CONNECTION_COMPLETE_V2 = 0x29;

const connectionEvents: readonly number[] = [
  LeSubevent.connectionComplete,
  LeSubevent.enhancedConnectionComplete,
  ENHANCED_CONNECTION_COMPLETE_V2,
];

/** A link as it is read: `undefined` is one whose other side is not a device. */
interface OpenLink {
  readonly link: RecordedLink | undefined;
  /** What has arrived of a packet, by who sends it. */
  readonly pending: { host: Buffer; device: Buffer };
}

class Reading {
  readonly links: RecordedLink[] = [];
  readonly reports: Report[] = [];
  asPeripheral = 0;
  strays = 0;
  private readonly open = new Map<string, OpenLink>();

  read(record: HciRecord): void {
    const { packet } = record;
    unlessShort(() => {
      if (packet[0] === PacketType.event) this.event(record, packet.readUInt8(1), packet.subarray(3));
      if (packet[0] === PacketType.acl) this.data(record);
    });
  }

  private event(record: HciRecord, code: number, body: Buffer): void {
    const { controller } = record;
    if (code === EventCode.leMeta) this.leEvent(record, body.readUInt8(0), body.subarray(1));
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
    this.reports.push(...advertisingReports(subevent, body, record.at));
    if (!connectionEvents.includes(subevent)) return;
    // All three begin with the same fields (Core 5.4 Vol 4 Part E 7.7.65.1, .10).
    const [status, handle, role] = [body.readUInt8(0), body.readUInt16LE(1), body.readUInt8(3)];
    if (status !== 0) return;
    const isCentral = role === CENTRAL;
    if (!isCentral) this.asPeripheral += 1;
    const link: RecordedLink | undefined = isCentral
      ? {
          address: addressField.read(body, 5),
          // 2 and 3 are public and random identities.
          addressType: (body.readUInt8(4) & 1) === 0 ? 'public' : 'random',
          pdus: [],
        }
      : undefined;
    if (link !== undefined) this.links.push(link);
    const pending = { host: Buffer.alloc(0), device: Buffer.alloc(0) };
    this.open.set(`${record.controller}/${handle}`, { link, pending });
  }

  /** Puts together what came in pieces (Core 5.4 Vol 3 Part A 7.2.1). */
  private data({ controller, packet, fromHost, whole, number, at }: HciRecord): void {
    const head = packet.readUInt16LE(1);
    const open = this.open.get(`${controller}/${head & 0x0fff}`);
    if (open === undefined) {
      this.strays += 1;
      return;
    }
    const { link, pending } = open;
    if (link === undefined) return;
    if (!whole) link.partialAt ??= number;
    const side = fromHost ? 'host' : 'device';
    const continues = ((head >> 12) & 0b11) === Boundary.continuing;
    const so = continues ? Buffer.concat([pending[side], packet.subarray(5)]) : packet.subarray(5);
    pending[side] = so;
    if (so.length < L2CAP_HEADER || so.length < L2CAP_HEADER + so.readUInt16LE(0)) return;
    const pdu = so.subarray(L2CAP_HEADER, L2CAP_HEADER + so.readUInt16LE(0));
    if (so.readUInt16LE(2) === ATT_CHANNEL && pdu.length > 0) {
      link.pdus.push({ fromDevice: !fromHost, pdu, at });
    }
    pending[side] = Buffer.alloc(0);
  }
}

export const readLinks = (records: readonly HciRecord[]): Recorded => {
  const reading = new Reading();
  for (const record of records) reading.read(record);
  return reading;
};
