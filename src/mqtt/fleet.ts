/** A device server and its fleet: the interface of each to the other. */
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type { Task } from 'fp-ts/lib/Task.js';
import { ALONE, type Ownership } from '../devices/ownership.js';
import type { DeviceRecords } from '../devices/records.js';
import type { Address } from '../ble/ports.js';
import type { MQTT_STATES } from '../contract/index.js';
import type { Executor, Receiver } from '../operations/index.js';
import type { ApplianceOf } from './home-assistant.js';
import type { Listen } from './hearing.js';
import type { Operations, Payload } from './operations.js';

/** A device that a server has a session with. */
export interface MemberDevice {
  readonly address: Address;
  /** Whether the device can be reached now. */
  readonly isConnected: boolean;
  /** The published state. */
  readonly state: () => JsonRecord;
  /** The fields that the topic of the device adds to a command. */
  readonly identity: Payload;
  /** Describes the device to Home Assistant, again whenever one of `dependencies` has changed. */
  readonly homeAssistant: { readonly dependencies: readonly unknown[]; readonly describe: ApplianceOf };
}

/** Hands devices over to other servers, and takes them over. */
export interface Roamer {
  /** The advertising devices of the server's kind. */
  readonly listen: Listen;
  /** Ends the session of a device, and returns the data that the next server needs; undefined: no session. */
  readonly handOver: (address: Address) => Promise<Payload | undefined>;
  /** Connects a device that another server has handed over, as if its link came back. */
  readonly takeOver: (handover: Payload) => void;
}

/** The devices that a server has heard, and their labels. */
export type HeardDevices = Pick<DeviceRecords<object>, 'labels' | 'all' | 'isStored' | 'onNewcomer'>;

/** A device server as its fleet sees it. */
export interface Member {
  readonly executor: Executor;
  readonly operations: Operations;
  readonly devices: () => readonly MemberDevice[];
  readonly device: (address: Address) => MemberDevice | undefined;
  readonly heard: HeardDevices;
  /** The ids of all times that a device may have in Home Assistant; none by default. */
  readonly times?: readonly string[];
  readonly roamer?: Roamer;
  /** The address of the server's page; undefined: other machines cannot open it. */
  readonly page?: string | undefined;
}

export type FleetState = (typeof MQTT_STATES)[number];

/** The fleet as its device server sees it. */
export interface Fleet {
  /** The name of this server; empty without a broker. */
  readonly name: string;
  readonly state: FleetState;
  /** Whether the devices are announced to Home Assistant. */
  readonly inHomeAssistant: boolean;
  readonly ownership: Ownership;
  /** The receivers of the events of a device. */
  readonly receivers: (address: Address) => readonly Receiver[];
  /** To be called whenever the state of a device may have changed, and when its session begins or ends. */
  readonly changed: (address: Address) => void;
  /** To be called when a client has ended a session: the device leaves Home Assistant. */
  readonly forget: (address: Address) => void;
  /** Serves `member` from now on. */
  readonly join: (member: Member) => void;
  /** Stops handing devices over, and resolves when all commands are answered. */
  readonly drain: Task<void>;
  /** Publishes that the server is offline, and ends the connection. */
  readonly close: Task<void>;
}

/** A server without a broker. */
export const NO_FLEET: Fleet = {
  name: '',
  state: 'off',
  inHomeAssistant: false,
  ownership: ALONE,
  receivers: () => [],
  changed: () => undefined,
  forget: () => undefined,
  join: () => undefined,
  drain: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
