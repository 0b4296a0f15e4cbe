/** A packet of the trace, in words. */

/** `acl`: a fragment of an incomplete packet; `note`: a record about a controller or a fault, without a packet. */
export const PROTOCOLS = ['hci_command', 'hci_event', 'att', 'l2cap', 'smp', 'acl', 'note'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export const DIRECTIONS = ['host_to_controller', 'controller_to_host'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** A field of a packet. */
export interface Part {
  readonly name: string;
  readonly value: string;
}

/** A packet in words. */
export interface Words {
  readonly protocol: Protocol;
  /** One line, in the words of the Core specification. */
  readonly summary: string;
  readonly parts: readonly Part[];
}

export interface Packet extends Words {
  /** The number of its record in the trace, from 1. */
  readonly number: number;
  /** ISO 8601, UTC, with microseconds. */
  readonly time: string;
  /** The name of a host's controller, `hci0`, or the address of a device. Null: the whole air. */
  readonly adapter: string | null;
  readonly direction: Direction | null;
  /** The handle of the connection. */
  readonly handle: number | null;
  /** The address of the other side. */
  readonly peer: string | null;
  /** The packet, its H4 type first. */
  readonly hex: string;
}
