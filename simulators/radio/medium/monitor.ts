/**
 * btsnoop records in the format of the Linux monitor channel (datalink 2001), which has an index for each controller.
 * The flags hold index and kind.
 */
import { PacketType } from '../../../src/ble/hci/packets.js';

export const DATALINK_MONITOR = 2001;

export const Kind = {
  newIndex: 0,
  deleteIndex: 1,
  command: 2,
  event: 3,
  aclFromHost: 4,
  aclToHost: 5,
  systemNote: 12,
} as const;

/** The kinds that carry HCI packets; the others are about controllers and programs. */
export const packetKinds: Readonly<Record<number, { readonly type: number; readonly fromHost: boolean }>> = {
  [Kind.command]: { type: PacketType.command, fromHost: true },
  [Kind.event]: { type: PacketType.event, fromHost: false },
  [Kind.aclFromHost]: { type: PacketType.acl, fromHost: true },
  [Kind.aclToHost]: { type: PacketType.acl, fromHost: false },
};
