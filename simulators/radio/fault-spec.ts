/** What can be broken on purpose. Field names are those of the control API. */

interface Lasting {
  /** A controller's address or name, or `all`. */
  readonly device: string;
  /** Milliseconds after which it is spent; never if left out. */
  readonly for_ms?: number;
}

interface Fault extends Lasting {
  /** How many times it acts before it is spent; for ever if left out. */
  readonly times?: number;
}

/** Which of those that pass it acts on: all, if nothing is said. */
interface Some extends Fault {
  /** At each so many of them. */
  readonly after?: number;
  /** With this chance, 0 to 1. */
  readonly rate?: number;
}

interface OfPackets extends Some {
  /** Of commands, events or ATT PDUs, as the stage has them (`Stages` in `hooks.ts`). */
  readonly opcode?: number;
}

export type PacketStage = 'command' | 'event' | 'acl_from_host' | 'acl_to_host';

export type FaultSpec =
  /** The link is lost: now if it is up; with `after`, `rate` or `opcode` at a packet, which is lost with it. */
  | (OfPackets & { readonly type: 'link_loss' })
  /** Packets vanish. */
  | (OfPackets & { readonly type: 'drop'; readonly stage: PacketStage | 'advertising' })
  /** The device's data vanishes, though the link lives. */
  | (OfPackets & { readonly type: 'silence' })
  /** Packets take `ms` longer, and so does what follows them. */
  | (OfPackets & { readonly type: 'delay'; readonly stage?: PacketStage; readonly ms: number })
  /** One byte of what a packet carries is another. */
  | (OfPackets & { readonly type: 'corrupt'; readonly stage?: PacketStage | 'advertising' })
  /** An event has no more than `bytes` bytes of its parameters; its length says so. */
  | (OfPackets & { readonly type: 'truncated_event'; readonly bytes: number })
  /** A command is answered with `status`, and not carried out. */
  | (OfPackets & { readonly type: 'refused_command'; readonly status: number })
  /** A command is neither carried out nor answered. */
  | (OfPackets & { readonly type: 'unanswered_command' })
  /** Packets to and from the device are lost on the air with this chance, 0 to 1, and sent again where links do that. */
  | (Fault & { readonly type: 'loss'; readonly rate: number })
  /** Connecting ends with 0x3E, as when the device never heard the request. */
  | (Some & { readonly type: 'failed_establishment' })
  /** The controller is without power until the fault ends. */
  | (Lasting & { readonly type: 'adapter_down' })
  /** The device is out of range until the fault ends. */
  | (Lasting & { readonly type: 'out_of_range' })
  /** The device is heard up to `depth_db` weaker, there and back in `period_ms`. */
  | (Fault & { readonly type: 'fading'; readonly depth_db: number; readonly period_ms: number })
  /** The device hears so many advertisements a second, each of another stranger. */
  | (Fault & { readonly type: 'strangers'; readonly per_second: number });

export type FaultType = FaultSpec['type'];
