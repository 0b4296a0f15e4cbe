/**
 * Packets of the LE link layer as the HCI packets that the central's controller would send its host (Core 5.4 Vol 6 Part B 2):
 * advertising reports, the beginning and the end of links, their encryption, and data.
 */
import { address, layout, u16, u24, u32, u8, bytes, unlessShort } from '../../../../src/bytes/index.js';
import { AttOpcode } from '../../../../src/ble/hci/att.js';
import {
  Boundary,
  Channel,
  LeSubevent,
  encodeAcl,
  events,
  type EventFields,
} from '../../../../src/ble/hci/packets.js';
import { L2CAP_HEADER } from '../../../ble/l2cap.js';
import { encodeLeEvent, eventOf, leEventOf } from '../../../radio/host/event-packets.js';
import type { HciPacket } from './format.js';

export interface AirPacket {
  readonly accessAddress: number;
  /** With its header of two octets; cut short if the capture is. */
  readonly pdu: Buffer;
  /** Undefined: the capture does not have it. */
  readonly crc: number | undefined;
  /** Whether the sniffer found the CRC right; undefined: it did not check. */
  readonly isValid: boolean | undefined;
  /** Undefined: the capture does not say so. */
  readonly fromCentral: boolean | undefined;
}

/** The access address and the initial CRC of advertising (2.1.2 and 3.1.1). */
const ADVERTISING = { accessAddress: 0x8e89bed6, crcInit: 0x555555 } as const;

const PduType = { directed: 1, connect: 5 } as const;
/** Event types of legacy reports by PDU types (2.3.1; Vol 4 Part E 7.7.65.2). */
const reportTypes: Readonly<Record<number, number>> = { 0: 0, 1: 1, 2: 3, 4: 4, 6: 2 };
const LONGEST_ADVERTISING = 37;
const HeaderBit = { txAdd: 0x40, rxAdd: 0x80, nextExpected: 0x04, sequenceNumber: 0x08 } as const;
const UNKNOWN_RSSI = 127;

/** The payload of CONNECT_IND (2.3.3.1). */
const connectInd = layout({
  ...{
    central: address,
    device: address,
    accessAddress: u32,
    crcInit: u24,
    windowSize: u8,
    windowOffset: u16,
  },
  ...{ interval: u16, latency: u16, timeout: u16, channels: bytes(5), hop: u8 },
});
/** Units of an interval. */
const INTERVAL_MS = 1.25;

/** The kinds of data PDUs (2.4). */
const Llid = { mask: 0b11, continuation: 1, start: 2, control: 3 } as const;
const ControlOpcode = { connectionUpdate: 0x00, terminate: 0x02, startEncryption: 0x05 } as const;

const LAST_HANDLE = 0x0eff;
/** The handle of data of a link without a CONNECT_IND. */
const UNKNOWN_LINK = LAST_HANDLE;

const reversed = (value: number, bits: number): number => {
  let result = 0;
  for (let bit = 0; bit < bits; bit += 1) result |= ((value >> bit) & 1) << (bits - 1 - bit);
  return result;
};

/** x^24 + x^10 + x^9 + x^6 + x^4 + x^3 + x + 1, without its first term, the lowest bit on the left (3.1.1). */
const POLYNOMIAL = 0xda6000;

/** The CRC of a PDU in the order in which it is sent. */
const crcOf = (crcInit: number, pdu: Buffer): number => {
  let state = reversed(crcInit, 24);
  for (const octet of pdu) {
    state ^= octet;
    for (let bit = 0; bit < 8; bit += 1) state = (state >>> 1) ^ ((state & 1) === 0 ? 0 : POLYNOMIAL);
  }
  return state;
};

/** A CRC that no sniffer has filled in is not judged. */
const isIntact = ({ crc, isValid, pdu }: AirPacket, crcInit: number | undefined): boolean =>
  isValid ?? (crc === undefined || crc === 0 || crcInit === undefined || crc === crcOf(crcInit, pdu));

/** A PDU of one side of a link. */
interface Sent {
  readonly pdu: Buffer;
  /** Milliseconds. */
  readonly at: number;
  /** Whether the other side has acknowledged it. */
  isAcknowledged: boolean;
  /** Whether the other side has acknowledged a PDU after it too. */
  isFollowed: boolean;
}

interface Link {
  readonly complete: EventFields<'connectionComplete'>;
  readonly crcInit: number;
  /** In units of `INTERVAL_MS`. */
  interval: number;
  /** Whether the capture has empty PDUs: else a PDU with the same number may be the next but one. */
  hasEmpty: boolean;
  /** Whether any of its packets was heard: a CONNECT_IND alone is no link. */
  begun: boolean;
  /** Whether the peripheral's sequence numbers are equal, instead of the central's. */
  swapped: boolean;
  /** The last PDU of each side: of the central, and of the peripheral. */
  readonly last: Map<boolean, Sent>;
}

/** Requests and commands but Exchange MTU, which servers send too: usually the central is the client. */
const clientOpcodes: readonly number[] = Object.values(AttOpcode).filter(
  (opcode) =>
    opcode % 2 === 0 &&
    opcode !== AttOpcode.exchangeMtuRequest &&
    opcode !== AttOpcode.handleValueConfirmation,
);

const sequenceNumber = (header: number): boolean => (header & HeaderBit.sequenceNumber) !== 0;
const nextExpected = (header: number): boolean => (header & HeaderBit.nextExpected) !== 0;

/** Whether the opcode of a first fragment shows that the central sent it; undefined: either side may have. */
const centralByContent = (fragment: Buffer): boolean | undefined => {
  if (fragment.length <= L2CAP_HEADER || fragment.readUInt16LE(2) !== Channel.att) return undefined;
  const opcode = fragment.readUInt8(L2CAP_HEADER);
  if (clientOpcodes.includes(opcode)) return true;
  return clientOpcodes.includes(opcode - 1) ? false : undefined;
};

/**
 * The sender of a PDU without a direction. A central begins with SN and NESN equal, a peripheral acknowledges with SN and
 * NESN different, and both toggle with each exchange (4.5.9); a PDU that arrives damaged swaps them.
 */
const isCentral = (header: number, first: Buffer | undefined, link: Link | undefined): boolean => {
  const isEqual = sequenceNumber(header) === nextExpected(header);
  const byContent = first === undefined ? undefined : centralByContent(first);
  if (link === undefined) return byContent ?? isEqual;
  if (byContent !== undefined) link.swapped = byContent !== isEqual;
  return isEqual !== link.swapped;
};

const isSame = (one: Buffer, other: Buffer): boolean =>
  ((u8.read(one, 0) ^ u8.read(other, 0)) & (HeaderBit.sequenceNumber | Llid.mask)) === 0 &&
  one.subarray(1).equals(other.subarray(1));

/** Whether a side sends a PDU again, with the same number, since it received no acknowledgement (4.5.9). */
const isRepeated = (
  { last, interval, hasEmpty }: Link,
  fromCentral: boolean,
  pdu: Buffer,
  at: number,
): boolean => {
  const [before, other] = [last.get(fromCentral), last.get(!fromCentral)];
  if (other !== undefined) {
    const acknowledges = nextExpected(u8.read(pdu, 0)) !== sequenceNumber(u8.read(other.pdu, 0));
    other.isFollowed ||= other.isAcknowledged && !acknowledges;
    other.isAcknowledged ||= acknowledges;
  }
  last.set(fromCentral, { pdu: Buffer.from(pdu), at, isAcknowledged: false, isFollowed: false });
  if (before === undefined || before.isFollowed || !isSame(before.pdu, pdu)) return false;
  return hasEmpty || at - before.at < 1.5 * interval * INTERVAL_MS;
};

const hci = (packet: Buffer, fromHost = false): HciPacket => ({
  ...{ controller: 0, fromHost, type: packet.readUInt8(0), body: packet.subarray(1) },
});

export class LinkLayer {
  private readonly links = new Map<number, Link>();
  private made = 0;

  take(packet: AirPacket, at: number): readonly HciPacket[] {
    let taken: readonly HciPacket[] = [];
    unlessShort(() => {
      taken =
        packet.accessAddress === ADVERTISING.accessAddress ? this.advertising(packet) : this.data(packet, at);
    });
    return taken;
  }

  private advertising(packet: AirPacket): readonly HciPacket[] {
    const { pdu } = packet;
    if (!isIntact(packet, ADVERTISING.crcInit)) return [];
    const [header, body] = [u8.read(pdu, 0), pdu.subarray(2)];
    const pduType = header & 0x0f;
    if (pduType === PduType.connect) this.connect(header, body);
    const type = reportTypes[pduType];
    if (type === undefined || body.length > LONGEST_ADVERTISING || body.length < u8.read(pdu, 1)) return [];
    const data = pduType === PduType.directed ? Buffer.alloc(0) : body.subarray(address.size);
    const head = events.advertisingReport.write({
      ...{ reports: 1, type, addressType: (header & HeaderBit.txAdd) === 0 ? 0 : 1 },
      ...{ address: address.read(body, 0), length: data.length },
    });
    const report = Buffer.concat([head, data, Buffer.from([UNKNOWN_RSSI])]);
    return [hci(encodeLeEvent(LeSubevent.advertisingReport, report))];
  }

  private connect(header: number, body: Buffer): void {
    const { device, accessAddress, crcInit, interval, latency, timeout } = connectInd.read(body);
    // Several sniffers may hear it; later it begins another link.
    if (this.links.get(accessAddress)?.begun === false) return;
    this.made = (this.made % (UNKNOWN_LINK - 1)) + 1;
    const handle = this.made;
    const [oldest] = this.links;
    if (oldest?.[1].complete.handle === handle) this.links.delete(oldest[0]);
    const complete = {
      ...{ status: 0, handle, role: 0, peerAddressType: (header & HeaderBit.rxAdd) === 0 ? 0 : 1 },
      ...{ peerAddress: device, interval, latency, supervisionTimeout: timeout, clockAccuracy: 0 },
    };
    this.links.delete(accessAddress);
    this.links.set(accessAddress, {
      ...{ complete, crcInit, interval, hasEmpty: false, begun: false, swapped: false, last: new Map() },
    });
  }

  private data(packet: AirPacket, at: number): readonly HciPacket[] {
    const { accessAddress, pdu } = packet;
    const link = this.links.get(accessAddress);
    if (!isIntact(packet, link?.crcInit)) return [];
    const begins = link?.begun === false ? [hci(leEventOf('connectionComplete', link.complete))] : [];
    const [header, payload] = [u8.read(pdu, 0), pdu.subarray(2)];
    const llid = header & Llid.mask;
    if (link !== undefined) {
      link.begun = true;
      link.hasEmpty ||= payload.length === 0;
    }
    const fromCentral =
      packet.fromCentral ?? isCentral(header, llid === Llid.start ? payload : undefined, link);
    if (link !== undefined && isRepeated(link, fromCentral, pdu, at)) return begins;
    if (llid === Llid.control) return [...begins, ...this.control(accessAddress, link, payload)];
    if (payload.length === 0) return begins;
    const handle = link?.complete.handle ?? UNKNOWN_LINK;
    const first = fromCentral ? Boundary.firstFromHost : Boundary.firstToHost;
    const boundary = llid === Llid.start ? first : Boundary.continuing;
    return [...begins, hci(encodeAcl(handle, boundary, payload), fromCentral)];
  }

  private control(accessAddress: number, link: Link | undefined, payload: Buffer): readonly HciPacket[] {
    if (link === undefined) return [];
    const { handle } = link.complete;
    switch (u8.read(payload, 0)) {
      case ControlOpcode.connectionUpdate:
        link.interval = u16.read(payload, 4);
        return [];
      case ControlOpcode.startEncryption:
        return [hci(eventOf('encryptionChange', { status: 0, handle, enabled: 1 }))];
      case ControlOpcode.terminate:
        this.links.delete(accessAddress);
        return [hci(eventOf('disconnectionComplete', { status: 0, handle, reason: u8.read(payload, 1) }))];
      default:
        return [];
    }
  }
}
