/** A server as the fleet sees it. */
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type { Address } from '../ble/ports.js';
import type { Executor } from '../operations/index.js';
import type { ApplianceOf } from './home-assistant.js';
import type { Listen } from './hearing.js';
import type { Operations, Payload } from './operations.js';

/** A device that a server has a session with. */
export interface MemberDevice {
  readonly address: Address;
  /** Whether it can be reached now. */
  readonly isConnected: boolean;
  /** Its state, as it is published. */
  readonly state: () => JsonRecord;
  /** The fields of a command to this device that its topic has. */
  readonly identity: Payload;
  /** Describes it to Home Assistant, again whenever one of `dependencies` has changed. */
  readonly homeAssistant: { readonly dependencies: readonly unknown[]; readonly describe: ApplianceOf };
}

/** How a server lets devices go to another, and takes them. */
export interface Roamer {
  /** The advertising devices of the server's kind. */
  readonly listen: Listen;
  /** Ends the session of a device; what the server needs to know that takes it over. Undefined: there is none. */
  readonly handOver: (address: Address) => Promise<Payload | undefined>;
  /** Connects a device that another server has handed over, as if its link came back. */
  readonly takeOver: (given: Payload) => void;
}

export interface Member {
  readonly executor: Executor;
  readonly operations: Operations;
  readonly devices: () => readonly MemberDevice[];
  readonly device: (address: Address) => MemberDevice | undefined;
  readonly roamer?: Roamer;
  /** The address of its page; undefined: other machines cannot open it. */
  readonly page?: string | undefined;
}
