import { initialDataLength, type DataLength } from './data-length.js';
import { defaultEventMask, defaultLeEventMask } from './event-mask.js';
import { ALL_PHYS } from '../medium/pdu.js';

/** The two families of LE commands, which a host must not mix. */
export type CommandSet = 'legacy' | 'extended';

/** Data channels 0 to 36, bit by bit; the rest is reserved. */
export const ALL_CHANNELS: Buffer = Buffer.from('ffffffff1f', 'hex');

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
