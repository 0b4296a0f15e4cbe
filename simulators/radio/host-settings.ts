import { usualDataLength, type DataLength } from './data-length.js';
import { defaultEventMask, defaultLeEventMask } from './event-mask.js';
import { everyChannel } from './link-commands.js';
import { PHYS } from './phy-commands.js';
import type { CommandSet } from './scanner.js';

/** What a host told its controller since the last reset, each as the specification has it until then. */
export class HostSettings {
  eventMask = defaultEventMask();
  leEventMask = defaultLeEventMask();
  leHostSupported = { leSupported: 0, simultaneous: 0 };
  randomAddress: string | undefined;
  /** Which family of LE commands it uses. */
  commandSet: CommandSet | undefined;
  /** For new links: bits of the PHYs it would send and receive on, data length, and channels. */
  preferredPhys = { tx: PHYS, rx: PHYS };
  suggestedDataLength: DataLength = usualDataLength;
  channelMap = everyChannel();
}
