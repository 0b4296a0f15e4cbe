import { EventCode } from '../../../src/ble/hci/packets.js';

/** The masks after a reset (Core 5.4 Vol 4 Part E 7.3.1 and 7.8.1). */
export const defaultEventMask = (): Buffer => Buffer.from('ffffffffff1f0000', 'hex');
export const defaultLeEventMask = (): Buffer => Buffer.from('1f00000000000000', 'hex');

const isSet = (mask: Buffer, bit: number): boolean => ((mask[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;

/** Whether event masks let an event through. Answers to commands and returned buffers always pass. */
export const passesMask = (event: Buffer, mask: Buffer, leMask: Buffer): boolean => {
  const code = event.readUInt8(1);
  switch (code) {
    case EventCode.commandComplete:
    case EventCode.commandStatus:
    case EventCode.numberOfCompletedPackets:
      return true;
    case EventCode.leMeta:
      return isSet(mask, code - 1) && isSet(leMask, event.readUInt8(3) - 1);
    default:
      return isSet(mask, code - 1);
  }
};

/** Whether the host wants this LE subevent. */
export const wantsSubevent = (subevent: number, leMask: Buffer): boolean => isSet(leMask, subevent - 1);
