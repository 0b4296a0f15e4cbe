/** A server among others, as it sees them. */
import type { Task } from 'fp-ts/lib/Task.js';
import { ALONE, type Ownership } from '../devices/ownership.js';
import type { Address } from '../ble/ports.js';
import type { MQTT_STATES } from '../contract/index.js';
import type { Receiver } from '../operations/index.js';
import type { Member } from './member.js';

export type FleetState = (typeof MQTT_STATES)[number];

export interface Fleet {
  readonly state: FleetState;
  readonly ownership: Ownership;
  /** The receivers of the events of a device. */
  readonly receivers: (address: Address) => readonly Receiver[];
  /** To be called whenever what is known of a device may have changed, and when its session begins or ends. */
  readonly changed: (address: Address) => void;
  /** To be called when a client has ended a session: Home Assistant has no use for the device any more. */
  readonly forget: (address: Address) => void;
  /** Serves `member` from now on. */
  readonly join: (member: Member) => void;
  /** Hands no device over any more, and resolves when all commands are answered. */
  readonly drain: Task<void>;
  /** Says that the server is offline, and ends the connection. */
  readonly close: Task<void>;
}

/** A server by itself. */
export const NO_FLEET: Fleet = {
  state: 'off',
  ownership: ALONE,
  receivers: () => [],
  changed: () => undefined,
  forget: () => undefined,
  join: () => undefined,
  drain: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
