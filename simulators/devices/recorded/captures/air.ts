/**
 * Packets of the air, as sniffers record them: access address, PDU and CRC (Core 5.4 Vol 6 Part B 2.1), behind what each
 * form puts in front.
 */
import type { Datalink, FilePacket } from './format.js';
import { LinkLayer, type AirPacket } from './link-layer.js';

const ACCESS_ADDRESS = 4;
const PDU_HEADER = 2;
const CRC = 3;
const CODED = 2;

/**
 * The packet that begins at `start`; undefined if its PDU has no header, or is longer than the packet though that is whole.
 * On the coded PHY an octet of coding follows the access address.
 */
const airPacket = (
  { data, whole }: FilePacket,
  start: number,
  { phy, ...fields }: Pick<AirPacket, 'fromCentral' | 'isValid'> & { readonly phy: number },
): AirPacket | undefined => {
  const pdu = start + ACCESS_ADDRESS + (phy === CODED ? 1 : 0);
  if (data.length < pdu + PDU_HEADER) return undefined;
  const end = pdu + PDU_HEADER + data.readUInt8(pdu + 1);
  if (whole && data.length < end) return undefined;
  return {
    ...fields,
    accessAddress: data.readUInt32LE(start),
    pdu: data.subarray(pdu, end),
    crc: data.length < end + CRC ? undefined : data.readUIntLE(end, CRC),
  };
};

const reader = (read: (packet: FilePacket) => AirPacket | undefined): Datalink => {
  const linkLayer = new LinkLayer();
  return (packet) => {
    const taken = read(packet);
    return taken === undefined ? [] : linkLayer.take(taken, packet.at);
  };
};

/** BLUETOOTH_LE_LL: nothing in front. */
export const leLinkLayer = (): Datalink =>
  reader((packet) => airPacket(packet, 0, { phy: 0, fromCentral: undefined, isValid: undefined }));

const RADIO_HEADER = 10;
const RadioFlag = { crcChecked: 1 << 10, crcValid: 1 << 11 } as const;
/** The kinds of PDU in bits 7 to 9 that have a direction; higher ones are isochronous. */
const FROM_CENTRAL = 2;
const FROM_PERIPHERAL = 3;

/** BLUETOOTH_LE_LL_WITH_PHDR: ten bytes in front, of which the last two are flags. */
export const withRadioHeader = (): Datalink =>
  reader((packet) => {
    const { data } = packet;
    if (data.length < RADIO_HEADER) return undefined;
    const flags = data.readUInt16LE(8);
    const kind = (flags >> 7) & 0b111;
    if (kind > FROM_PERIPHERAL) return undefined;
    return airPacket(packet, RADIO_HEADER, {
      phy: flags >> 14,
      fromCentral: kind === FROM_CENTRAL || kind === FROM_PERIPHERAL ? kind === FROM_CENTRAL : undefined,
      isValid: (flags & RadioFlag.crcChecked) === 0 ? undefined : (flags & RadioFlag.crcValid) !== 0,
    });
  });

/**
 * NORDIC_BLE: an octet of the board, a header of 6 octets, and 10 octets about the packet, of which the first is their number;
 * in the oldest version a marker of 2 octets, a header of 6, and 9 about the packet (Wireshark's packet-nordic_ble.c).
 */
const NORDIC_HEADER = 7;
const NORDIC_EVENT = 10;
const NordicFlag = { crcValid: 1 << 0, fromCentral: 1 << 1 } as const;
/** The packets of the air among the messages of a sniffer: advertising since version 3, all or data. */
const NORDIC_PACKETS: readonly number[] = [0x02, 0x06];
const OLDEST_MARKER = 0xbeef;

/** The files of the nRF sniffer. */
export const nordicSniffer = (): Datalink =>
  reader((packet) => {
    const { data } = packet;
    const start = NORDIC_HEADER + NORDIC_EVENT;
    if (data.length < start) return undefined;
    const kind = data.readUInt8(data.readUInt16BE(0) === OLDEST_MARKER ? 2 : 6);
    if (!NORDIC_PACKETS.includes(kind)) return undefined;
    const flags = data.readUInt8(8);
    return airPacket(packet, start, {
      phy: (flags >> 4) & 0b111,
      fromCentral: (flags & NordicFlag.fromCentral) !== 0,
      isValid: (flags & NordicFlag.crcValid) !== 0,
    });
  });
