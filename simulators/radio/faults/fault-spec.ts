/** The faults and their parameters. The control API has the same field names. */

interface Lasting {
  /** A controller's address or name, or `all`. */
  readonly device: string;
  /** Milliseconds after which it is spent; default: never. */
  readonly for_ms?: number;
}

interface Fault extends Lasting {
  /** How many times it acts before it is spent; default: no limit. */
  readonly times?: number;
}

/** Which packets it acts on; default: all. */
interface Some extends Fault {
  /** On every n-th. */
  readonly after?: number;
  /** With this probability, 0 to 1. */
  readonly rate?: number;
}

interface OfPackets extends Some {
  /** The opcode of commands, events or ATT PDUs, depending on the stage (`Stages` in `hooks.ts`). */
  readonly opcode?: number;
}

export type PacketStage = 'command' | 'event' | 'acl_from_host' | 'acl_to_host';

export type FaultSpec =
  /** The link is lost: now if it is up; with `after`, `rate` or `opcode` at a packet, which is lost with it. */
  | (OfPackets & { readonly type: 'link_loss' })
  /** Packets are dropped. */
  | (OfPackets & { readonly type: 'drop'; readonly stage: PacketStage | 'advertising' })
  /** The device's data is dropped, but the link stays. */
  | (OfPackets & { readonly type: 'silence' })
  /** Packets take `ms` milliseconds longer; later packets wait, too. */
  | (OfPackets & { readonly type: 'delay'; readonly stage?: PacketStage; readonly ms: number })
  /** One byte of the payload is changed. */
  | (OfPackets & { readonly type: 'corrupt'; readonly stage?: PacketStage | 'advertising' })
  /** The parameters of an event are cut to `bytes` bytes; its length field matches. */
  | (OfPackets & { readonly type: 'truncated_event'; readonly bytes: number })
  /** A command is answered with `status`, and not carried out. */
  | (OfPackets & { readonly type: 'refused_command'; readonly status: number })
  /** A command is neither carried out nor answered. */
  | (OfPackets & { readonly type: 'unanswered_command' })
  /** Packets to and from the device are lost on the air with this probability, 0 to 1; links send them again. */
  | (Fault & { readonly type: 'loss'; readonly rate: number })
  /** Connecting ends with 0x3E, as when the device never received the request. */
  | (Some & { readonly type: 'failed_establishment' })
  /** The controller is without power until the fault ends. */
  | (Lasting & { readonly type: 'adapter_down' })
  /** The device is out of range until the fault ends. */
  | (Lasting & { readonly type: 'out_of_range' })
  /** The RSSI of the device falls by up to `depth_db` and rises again, within `period_ms` milliseconds. */
  | (Fault & { readonly type: 'fading'; readonly depth_db: number; readonly period_ms: number })
  /** The device receives `per_second` advertisements per second, each of a new device. */
  | (Fault & { readonly type: 'background_advertisers'; readonly per_second: number })
  /** Devices of other clients occupy `slots` slots of a Bluetooth proxy. */
  | (Lasting & { readonly type: 'proxy_slots_taken'; readonly slots: number })
  /** The connections of a proxy to its clients are reset, once. */
  | (Lasting & { readonly type: 'proxy_connection_lost' })
  /** Everything between a proxy and its clients takes `ms` longer, and up to `jitter_ms` more by chance. */
  | (Lasting & { readonly type: 'proxy_slow'; readonly ms: number; readonly jitter_ms?: number })
  /** Nothing passes between a proxy and its clients until the fault ends; then everything does. */
  | (Lasting & { readonly type: 'proxy_stalled' })
  /** A proxy passes no advertisement on. */
  | (Lasting & { readonly type: 'proxy_deaf' })
  /** A proxy keeps the links of a client that is gone; they offer no services until they are made again. */
  | (Lasting & { readonly type: 'proxy_stale_links' })
  /** A proxy has another encryption key, which nobody knows. */
  | (Lasting & { readonly type: 'proxy_other_key' })
  /** A proxy has no power until the fault ends. */
  | (Lasting & { readonly type: 'proxy_down' });

export type FaultType = FaultSpec['type'];
