/** Data packets of links whose beginning is not in the capture, classified by their content. */
import { hexNumber, u16 } from '../../../src/bytes/index.js';
import { Channel } from '../../../src/ble/hci/packets.js';
import { L2CAP_HEADER, aclHead } from '../../ble/l2cap.js';

/** `le` and `classic`: a link that began before; `vendor`: no L2CAP, such as a controller's own log. */
type Kind = 'le' | 'classic' | 'vendor';

/** Higher handles are reserved (Core 5.4 Vol 4 Part E 5.4.2); some vendors use them for diagnostics. */
const LAST_HANDLE = 0x0eff;
const LE_CHANNELS: readonly number[] = Object.values(Channel);
/** Signalling and security of BR/EDR (Core 5.4 Vol 3 Part A 2.1). */
const CLASSIC_CHANNELS: readonly number[] = [0x0001, 0x0002, 0x0003, 0x0007];
const FIRST_DYNAMIC_CHANNEL = 0x0040;

/** The kind of a link, by the first fragment of a packet: its L2CAP length is at least that of the fragment. */
const kindOf = (handle: number, data: Buffer): Kind => {
  if (handle > LAST_HANDLE || data.length < L2CAP_HEADER) return 'vendor';
  if (data.length > u16.read(data, 0) + L2CAP_HEADER) return 'vendor';
  const channel = u16.read(data, 2);
  if (LE_CHANNELS.includes(channel)) return 'le';
  return CLASSIC_CHANNELS.includes(channel) || channel >= FIRST_DYNAMIC_CHANNEL ? 'classic' : 'vendor';
};

const CERTAINTY: readonly Kind[] = ['vendor', 'classic', 'le'];

export class UnknownLinks {
  private readonly kinds = new Map<number, Kind>();

  /** An ACL packet, without its H4 type. */
  take(packet: Buffer): void {
    const { handle, continues } = aclHead(packet);
    if (continues) return;
    const kind = kindOf(handle, packet.subarray(4));
    const earlierKind = this.kinds.get(handle);
    if (earlierKind === undefined || CERTAINTY.indexOf(kind) > CERTAINTY.indexOf(earlierKind)) {
      this.kinds.set(handle, kind);
    }
  }

  /** The handles of a kind, `0x0EDC`. */
  of(kind: Kind): readonly string[] {
    return [...this.kinds].filter(([, k]) => k === kind).map(([handle]) => hexNumber(handle, 4));
  }
}
