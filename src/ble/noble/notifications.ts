import { AttOpcode } from '../hci/att.js';
import { aclHandle, Boundary, Channel, PacketType } from '../hci/packets.js';
import type { Noble } from './internals.js';

/** Byte offsets in an unfragmented notification packet (Core 5.4 Vol 4 Part E 5.4.2, Vol 3 Part A 3.1 and Part F 3.4.7.1). */
const LENGTH = 5;
const CHANNEL = 7;
const OPCODE = 9;
const HANDLE = 10;
const VALUE = 12;

const isNotification = (packet: Buffer): boolean =>
  packet[0] === PacketType.acl &&
  packet[OPCODE] === AttOpcode.handleValueNotification &&
  packet.length >= VALUE &&
  packet.readUInt16LE(1) >> 12 === Boundary.firstToHost &&
  packet.readUInt16LE(LENGTH) === packet.length - OPCODE &&
  packet.readUInt16LE(CHANNEL) === Channel.att;

/**
 * Emits `handleNotify` on peripherals for their notifications, faster than noble, which formats debug output that nobody
 * reads and converts the address twice. False: the packet is not a notification, or nobody listens.
 */
export const openNotifications =
  ({ _bindings: bindings, _peripherals: peripherals }: Noble) =>
  (packet: Buffer): boolean => {
    if (!isNotification(packet)) return false;
    const peripheral = peripherals[String(bindings._handles[aclHandle(packet)])];
    return peripheral?.emit('handleNotify', packet.readUInt16LE(HANDLE), packet.subarray(VALUE)) ?? false;
  };
