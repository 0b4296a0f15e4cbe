import { AttOpcode } from '../hci/att.js';
import { aclHandle, Boundary, Channel, PacketType } from '../hci/packets.js';
import type { Gatt, Noble, NobleCharacteristic } from './internals.js';

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

/** A characteristic by its place in noble. */
interface Located {
  readonly service: string;
  readonly uuid: string;
  readonly characteristic: NobleCharacteristic;
}

/**
 * Emits `data` on characteristics for their notifications. For each, noble itself would format debug output that nobody
 * reads, search all services for its handle, and convert the address of the device twice.
 */
export const openNotifications = (noble: Noble): ((packet: Buffer) => boolean) => {
  const { _bindings: bindings } = noble;
  /** Characteristics by the handles of their values. */
  const cached = new WeakMap<Gatt, Map<number, Located>>();

  const find = (gatt: Gatt, id: string, handle: number): Located | undefined => {
    for (const [service, characteristics] of Object.entries(gatt._characteristics)) {
      for (const [uuid, { valueHandle }] of Object.entries(characteristics)) {
        const characteristic = noble._characteristics[id]?.[service]?.[uuid];
        if (valueHandle === handle && characteristic !== undefined) return { service, uuid, characteristic };
      }
    }
    return undefined;
  };

  const characteristicOf = (connection: number, handle: number): NobleCharacteristic | undefined => {
    const gatt = bindings._gatts[connection];
    if (gatt === undefined) return undefined;
    const id = String(bindings._handles[connection]);
    const byHandle = cached.get(gatt) ?? new Map<number, Located>();
    const before = byHandle.get(handle);
    // noble replaces them when they are discovered again.
    if (
      before !== undefined &&
      noble._characteristics[id]?.[before.service]?.[before.uuid] === before.characteristic
    )
      return before.characteristic;
    const located = find(gatt, id, handle);
    if (located === undefined) return undefined;
    cached.set(gatt, byHandle.set(handle, located));
    return located.characteristic;
  };

  /** False: the packet is not a notification, or noble does not know its characteristic. */
  return (packet) => {
    if (!isNotification(packet)) return false;
    const characteristic = characteristicOf(aclHandle(packet), packet.readUInt16LE(HANDLE));
    if (characteristic === undefined) return false;
    characteristic.emit('data', packet.subarray(VALUE), true);
    return true;
  };
};
