/**
 * HCI packets with their H4 type byte in front (Core 5.4 Vol 4 Part A 2 and Part E 5.4), as sockets,
 * streams and traces carry them.
 */
import { commandSpecs, type CommandName, type CommandParameters } from './commands.js';
import { address, bytes, i8, layout, u16, u8 } from './layout.js';

export const PacketType = { command: 0x01, acl: 0x02, sco: 0x03, event: 0x04, iso: 0x05 } as const;

export const EventCode = {
  disconnectionComplete: 0x05,
  encryptionChange: 0x08,
  commandComplete: 0x0e,
  commandStatus: 0x0f,
  hardwareError: 0x10,
  numberOfCompletedPackets: 0x13,
  leMeta: 0x3e,
} as const;

export const LeSubevent = {
  connectionComplete: 0x01,
  advertisingReport: 0x02,
  connectionUpdateComplete: 0x03,
  longTermKeyRequest: 0x05,
  enhancedConnectionComplete: 0x0a,
  extendedAdvertisingReport: 0x0d,
} as const;

/** Packet boundary flag of ACL data: a first fragment from a host, a continuation, a first fragment to a host. */
export const Boundary = { firstFromHost: 0b00, continuing: 0b01, firstToHost: 0b10 } as const;

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

export const encodeEvent = (code: number, parameters: Buffer): Buffer =>
  Buffer.concat([Buffer.from([PacketType.event, code, parameters.length]), parameters]);

export const encodeLeEvent = (subevent: number, parameters: Buffer): Buffer =>
  encodeEvent(EventCode.leMeta, Buffer.concat([Buffer.from([subevent]), parameters]));

export const encodeAcl = (handle: number, boundary: number, data: Buffer): Buffer => {
  const packet = Buffer.allocUnsafe(5 + data.length);
  packet.writeUInt8(PacketType.acl, 0);
  packet.writeUInt16LE(handle | (boundary << 12), 1);
  packet.writeUInt16LE(data.length, 3);
  data.copy(packet, 5);
  return packet;
};

/** The event parameters that have a fixed layout (Core 5.4 Vol 4 Part E 7.7). */
export const events = {
  disconnectionComplete: layout({ status: u8, handle: u16, reason: u8 }),
  encryptionChange: layout({ status: u8, handle: u16, enabled: u8 }),
  commandStatus: layout({ status: u8, packets: u8, opcode: u16 }),
  hardwareError: layout({ code: u8 }),
  completedPackets: layout({ handles: u8, handle: u16, count: u16 }),
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
  longTermKeyRequest: layout({ handle: u16, random: bytes(8), encryptedDiversifier: u16 }),
  advertisingReport: layout({ reports: u8, type: u8, addressType: u8, address, length: u8 }),
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

/** `Command Complete` carrying `returns` (status included), with room for one more command. */
export const encodeCommandComplete = (opcode: number, returns: Buffer): Buffer =>
  encodeEvent(
    EventCode.commandComplete,
    Buffer.concat([Buffer.from([1, opcode & 0xff, opcode >> 8]), returns]),
  );

export const encodeCommandStatus = (opcode: number, status: number): Buffer =>
  encodeEvent(EventCode.commandStatus, events.commandStatus.write({ status, packets: 1, opcode }));
