/** Link types of Bluetooth in pcap and btsnoop (tcpdump.org/linktypes.html; Frontline's btsnoop format). */
import { Boundary, PacketType } from '../../../../src/ble/hci/packets.js';
import { packetKinds } from '../../../radio/medium/monitor.js';
import type { Datalink, HciPacket } from './format.js';
import { leLinkLayer, nordicSniffer, withRadioHeader } from './air.js';

const RECEIVED = 0b01;
/** Un-encapsulated HCI: set for a command or an event, clear for data. */
const COMMAND_OR_EVENT = 0b10;

/** Plain H4, as Android writes it: the type byte in front, the direction in bit 0 of the flags. */
export const h4: Datalink = ({ flags, data }) => {
  const [type] = data;
  return type === undefined
    ? []
    : [{ controller: 0, fromHost: (flags & RECEIVED) === 0, type, body: data.subarray(1) }];
};

/** Un-encapsulated HCI: the flags hold direction and kind. */
export const unencapsulated: Datalink = ({ flags, data: body }) => {
  const fromHost = (flags & RECEIVED) === 0;
  const kind = fromHost ? PacketType.command : PacketType.event;
  return [{ controller: 0, fromHost, type: (flags & COMMAND_OR_EVENT) === 0 ? PacketType.acl : kind, body }];
};

/** The format of the Linux monitor, as btmon writes it: the controller in the upper half of the flags, an opcode in the lower. */
export const monitor: Datalink = ({ flags, data: body }) => {
  const kind = packetKinds[flags & 0xffff];
  return kind === undefined ? [] : [{ controller: flags >>> 16, ...kind, body }];
};

/** The direction in the flags of a packet in pcapng; 0: not known. */
const DIRECTION = 0b11;
const OUTBOUND = 0b10;

/** H4 without a direction, unless pcapng has it: the type of the packet shows it, or its boundary flag. */
const h4WithoutDirection = (): Datalink => {
  /** Whether the host began the last packet of a link, by its handle. */
  const begunByHost = new Map<number, boolean>();
  const isFromHost = ({ type, body }: Pick<HciPacket, 'type' | 'body'>): boolean => {
    if (type !== PacketType.acl || body.length < 2) return type === PacketType.command;
    const head = body.readUInt16LE(0);
    const [handle, boundary] = [head & 0x0fff, (head >> 12) & 0b11];
    if (boundary !== Boundary.continuing) begunByHost.set(handle, boundary !== Boundary.firstToHost);
    return begunByHost.get(handle) ?? true;
  };
  return ({ flags, data }) => {
    const [type] = data;
    if (type === undefined) return [];
    const body = data.subarray(1);
    const direction = flags & DIRECTION;
    return [
      {
        controller: 0,
        fromHost: direction === 0 ? isFromHost({ type, body }) : direction === OUTBOUND,
        type,
        body,
      },
    ];
  };
};

/** Four bytes in front, big-endian, are the flags of a btsnoop record. */
const withFlagsInFront =
  (datalink: Datalink): Datalink =>
  (packet) =>
    packet.data.length < 4
      ? []
      : datalink({ ...packet, flags: packet.data.readUInt32BE(0), data: packet.data.subarray(4) });

const datalinks: Readonly<Record<number, () => Datalink>> = {
  187: h4WithoutDirection,
  201: () => withFlagsInFront(h4),
  251: leLinkLayer,
  254: () => withFlagsInFront(monitor),
  256: withRadioHeader,
  272: nordicSniffer,
};

/** The reader of a link type, with a state of its own. Undefined: it is not of Bluetooth LE. */
export const datalinkOf = (linkType: number): Datalink | undefined => datalinks[linkType]?.();

/** A controller for each interface of a file, beside the controllers of a Linux monitor. */
const CONTROLLERS = 0x10000;

export const onController =
  (datalink: Datalink, index: number): Datalink =>
  (packet) =>
    datalink(packet).map((content) => ({ ...content, controller: content.controller + index * CONTROLLERS }));

const USB: readonly number[] = [186, 189, 220, 249, 266, 288];
const CLASSIC = 255;

const LINK_TYPES = `Bluetooth LE has the datalinks ${Object.keys(datalinks).join(', ')}`;

/** The message about a file of a link type that is not read. */
export const refusedLink = (format: string, linkType: number): string => {
  const file = `it is a ${format} file of datalink ${linkType}`;
  if (USB.includes(linkType)) return `${file}, USB: record on the Bluetooth interface instead`;
  return linkType === CLASSIC
    ? `${file}, the air of BR/EDR, classic Bluetooth: Bluetooth LE alone is replayed`
    : `${file}; ${LINK_TYPES}`;
};
