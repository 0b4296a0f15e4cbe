/** A server as the fleet sees it. */
import type { Json } from 'fp-ts/lib/Json.js';
import type { Address } from '../ble/ports.js';
import type { ApplianceOf } from './home-assistant.js';
import type { Operations, Payload } from './operations.js';

/** A device that a server has a session with. */
export interface MemberDevice {
  readonly address: Address;
  /** Whether it can be reached now. */
  readonly isConnected: boolean;
  /** What is known of it, as it is published. */
  readonly state: Json;
  /** What a command to this device need not say, since its topic does. */
  readonly identity: Payload;
  /** What Home Assistant shows of it. */
  readonly homeAssistant: ApplianceOf;
}

export interface Member {
  readonly operations: Operations;
  readonly devices: () => readonly MemberDevice[];
}
