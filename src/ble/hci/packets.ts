/**
 * HCI packets, the H4 type byte first (Core 5.4 Vol 4 Part A 2 and Part E 5.4), as in sockets, streams and traces.
 */
import { commandName, commandSpecs, type CommandName, type CommandParameters } from './commands.js';
import { namesOf } from './status.js';
import { address, bytes, i8, layout, u16, u8, type Layout } from '../../bytes/index.js';

export const PacketType = { command: 0x01, acl: 0x02, sco: 0x03, event: 0x04, iso: 0x05 } as const;

export const EventCode = {
  disconnectionComplete: 0x05,
  encryptionChange: 0x08,
  readRemoteVersionComplete: 0x0c,
  commandComplete: 0x0e,
  commandStatus: 0x0f,
  hardwareError: 0x10,
  numberOfCompletedPackets: 0x13,
  dataBufferOverflow: 0x1a,
  encryptionKeyRefreshComplete: 0x30,
  leMeta: 0x3e,
} as const;

export const LeSubevent = {
  connectionComplete: 0x01,
  advertisingReport: 0x02,
  connectionUpdateComplete: 0x03,
  readRemoteFeaturesComplete: 0x04,
  longTermKeyRequest: 0x05,
  remoteConnectionParameterRequest: 0x06,
  dataLengthChange: 0x07,
  readLocalP256PublicKeyComplete: 0x08,
  generateDhKeyComplete: 0x09,
  enhancedConnectionComplete: 0x0a,
  directedAdvertisingReport: 0x0b,
  phyUpdateComplete: 0x0c,
  extendedAdvertisingReport: 0x0d,
  scanTimeout: 0x11,
  advertisingSetTerminated: 0x12,
  scanRequestReceived: 0x13,
  channelSelectionAlgorithm: 0x14,
} as const;

export type AddressType = 'public' | 'random';

export interface DeviceAddress {
  /** Upper case, colon-separated. */
  readonly address: string;
  readonly type: AddressType;
}

/** Packet boundary flag of ACL data: a first fragment from a host, a continuation, a first fragment to a host. */
export const Boundary = { firstFromHost: 0b00, continuing: 0b01, firstToHost: 0b10 } as const;

/** The fixed L2CAP channels of LE (Core 5.4 Vol 3 Part A 2.1). */
export const Channel = { att: 0x0004, signalling: 0x0005, security: 0x0006 } as const;

export const encodeCommand = <N extends CommandName>(name: N, parameters: CommandParameters<N>): Buffer => {
  const spec = commandSpecs[name];
  const body = spec.parameters.write(parameters);
  const packet = Buffer.alloc(4 + body.length);
  packet.writeUInt8(PacketType.command, 0);
  packet.writeUInt16LE(spec.opcode, 1);
  packet.writeUInt8(body.length, 3);
  body.copy(packet, 4);
  return packet;
};

/** The octets before the data: type, handle with flags, length. */
export const ACL_HEADER = 5;

export const encodeAcl = (handle: number, boundary: number, data: Buffer): Buffer => {
  const packet = Buffer.allocUnsafe(ACL_HEADER + data.length);
  packet.writeUInt8(PacketType.acl, 0);
  packet.writeUInt16LE(handle | (boundary << 12), 1);
  packet.writeUInt16LE(data.length, 3);
  data.copy(packet, ACL_HEADER);
  return packet;
};

/** A data packet of one host as another host receives it. */
export const forwardAcl = (packet: Buffer, handle: number, boundary: number): Buffer => {
  const copy = Buffer.from(packet);
  copy.writeUInt16LE(handle | (boundary << 12), 1);
  return copy;
};

/** The link of a data packet. */
export const aclHandle = (packet: Buffer): number => packet.readUInt16LE(1) & 0x0fff;

export const aclData = (packet: Buffer): Buffer => packet.subarray(ACL_HEADER);

/** The event parameters that have a fixed layout (Core 5.4 Vol 4 Part E 7.7). */
export const events = {
  disconnectionComplete: layout({ status: u8, handle: u16, reason: u8 }),
  encryptionChange: layout({ status: u8, handle: u16, enabled: u8 }),
  encryptionKeyRefreshComplete: layout({ status: u8, handle: u16 }),
  readRemoteVersionComplete: layout({
    status: u8,
    handle: u16,
    version: u8,
    manufacturer: u16,
    subversion: u16,
  }),
  dataBufferOverflow: layout({ linkType: u8 }),
  commandStatus: layout({ status: u8, packets: u8, opcode: u16 }),
  hardwareError: layout({ code: u8 }),
  numberOfCompletedPackets: layout({ handles: u8, handle: u16, count: u16 }),
  connectionComplete: layout({
    status: u8,
    handle: u16,
    role: u8,
    peerAddressType: u8,
    peerAddress: address,
    interval: u16,
    latency: u16,
    supervisionTimeout: u16,
    clockAccuracy: u8,
  }),
  enhancedConnectionComplete: layout({
    status: u8,
    handle: u16,
    role: u8,
    peerAddressType: u8,
    peerAddress: address,
    localResolvableAddress: address,
    peerResolvableAddress: address,
    interval: u16,
    latency: u16,
    supervisionTimeout: u16,
    clockAccuracy: u8,
  }),
  connectionUpdateComplete: layout({
    status: u8,
    handle: u16,
    interval: u16,
    latency: u16,
    supervisionTimeout: u16,
  }),
  readRemoteFeaturesComplete: layout({ status: u8, handle: u16, features: bytes(8) }),
  longTermKeyRequest: layout({ handle: u16, random: bytes(8), encryptedDiversifier: u16 }),
  remoteConnectionParameterRequest: layout({
    handle: u16,
    intervalMin: u16,
    intervalMax: u16,
    maxLatency: u16,
    supervisionTimeout: u16,
  }),
  dataLengthChange: layout({
    handle: u16,
    maxTxOctets: u16,
    maxTxTime: u16,
    maxRxOctets: u16,
    maxRxTime: u16,
  }),
  readLocalP256PublicKeyComplete: layout({ status: u8, x: bytes(32), y: bytes(32) }),
  generateDhKeyComplete: layout({ status: u8, key: bytes(32) }),
  phyUpdateComplete: layout({ status: u8, handle: u16, txPhy: u8, rxPhy: u8 }),
  scanTimeout: layout({}),
  advertisingSetTerminated: layout({ status: u8, set: u8, handle: u16, completedEvents: u8 }),
  scanRequestReceived: layout({ set: u8, scannerAddressType: u8, scannerAddress: address }),
  channelSelectionAlgorithm: layout({ handle: u16, algorithm: u8 }),
  advertisingReport: layout({ reports: u8, type: u8, addressType: u8, address, length: u8 }),
  directedAdvertisingReport: layout({
    reports: u8,
    type: u8,
    addressType: u8,
    address,
    directAddressType: u8,
    directAddress: address,
    rssi: i8,
  }),
  extendedAdvertisingReport: layout({
    reports: u8,
    type: u16,
    addressType: u8,
    address,
    primaryPhy: u8,
    secondaryPhy: u8,
    advertisingSid: u8,
    txPower: i8,
    rssi: i8,
    periodicInterval: u16,
    directAddressType: u8,
    directAddress: address,
    length: u8,
  }),
} as const;

export type EventName = keyof typeof events;

export type EventFields<N extends EventName> = (typeof events)[N] extends Layout<infer F> ? F : never;

/** The return parameters, status first, if `packet` is the Command Complete of `name`. */
export const completionOf = (packet: Buffer, name: CommandName): Buffer | undefined =>
  packet[0] === PacketType.event &&
  packet[1] === EventCode.commandComplete &&
  packet.length >= 7 &&
  packet.readUInt16LE(4) === commandSpecs[name].opcode
    ? packet.subarray(6)
    : undefined;

const eventNames = namesOf(EventCode, {});
const leEventNames = namesOf(LeSubevent, {});

const numbered = (name: string | undefined, kind: string, code: number): string =>
  name === undefined ? `${kind} ${code}` : `${kind} ${name}`;

/** `command leSetScanEnable`, `LE event advertising report`, `data of link 64`; a code without a name stays a number. */
export const packetName = (packet: Buffer): string => {
  const [type = 0, code = 0, , subevent = 0] = packet;
  if (type === PacketType.command && packet.length > 2) {
    const opcode = packet.readUInt16LE(1);
    return numbered(commandName(opcode), 'command', opcode);
  }
  if (type === PacketType.event)
    return code === EventCode.leMeta
      ? numbered(leEventNames.get(subevent), 'LE event', subevent)
      : numbered(eventNames.get(code), 'event', code);
  if (type === PacketType.acl && packet.length >= ACL_HEADER) return `data of link ${aclHandle(packet)}`;
  return `packet of type ${type}`;
};
