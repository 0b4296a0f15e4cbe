import { EventCode } from '../../../src/ble/hci/packets.js';
import { initialDataLength, type DataLength } from './data-length.js';
import { ALL_PHYS } from '../medium/pdu.js';

/** The two families of LE commands, which a host must not mix. */
export type CommandSet = 'legacy' | 'extended';

/** Data channels 0 to 36, bit by bit; the rest is reserved. */
export const ALL_CHANNELS: Buffer = Buffer.from('ffffffff1f', 'hex');

/** The masks after a reset (Core 5.4 Vol 4 Part E 7.3.1 and 7.8.1). */
const defaultEventMask = (): Buffer => Buffer.from('ffffffffff1f0000', 'hex');
const defaultLeEventMask = (): Buffer => Buffer.from('1f00000000000000', 'hex');

/** The settings of the host since the last reset; before that, the defaults of the specification. */
export class HostSettings {
  eventMask = defaultEventMask();
  leEventMask = defaultLeEventMask();
  leHostSupported = { leSupported: 0, simultaneous: 0 };
  randomAddress: string | undefined;
  /** The family of the first LE command since the reset. */
  commandSet: CommandSet | undefined;
  /** For new links: bits of the preferred PHYs, data length, and channels. */
  preferredPhys = { tx: ALL_PHYS, rx: ALL_PHYS };
  suggestedDataLength: DataLength = initialDataLength;
  channelMap = ALL_CHANNELS;

  reset(): void {
    Object.assign(this, new HostSettings());
  }
}

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
