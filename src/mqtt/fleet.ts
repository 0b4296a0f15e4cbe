/** A device server and its broker: the interface of each to the other. */
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type { Task } from 'fp-ts/lib/Task.js';
import { ALONE, type LinkedNeighbour } from '../devices/neighbours.js';
import type { DeviceRecords } from '../devices/records.js';
import type { Address, Unsubscribe } from '../ble/ports.js';
import type { MQTT_STATES } from '../contract/index.js';
import type { Executor, Receiver } from '../operations/index.js';
import type { ApplianceOf } from './home-assistant.js';
import type { Listen } from './hearing.js';
import type { Operations, Payload } from './operations.js';

/** A device that a server has a session with. */
export interface MemberDevice {
  readonly address: Address;
  /** Whether it takes commands now: it has a link, or the next command makes one. */
  readonly isAvailable: boolean;
  /** Whether it has a link now. */
  readonly isLinked: boolean;
  /** The published state. */
  readonly state: () => JsonRecord;
  /** The fields that the topic of the device adds to a command. */
  readonly identity: Payload;
  /** Describes the device to Home Assistant, again whenever one of `dependencies` has changed. */
  readonly homeAssistant: { readonly dependencies: readonly unknown[]; readonly describe: ApplianceOf };
}

/** The devices that a server has heard, and their labels. */
export type HeardDevices = Pick<DeviceRecords<object>, 'labels' | 'all' | 'isStored' | 'onNewcomer'>;

/** A device server as its broker sees it. */
export interface Member {
  readonly executor: Executor;
  readonly operations: Operations;
  readonly devices: () => readonly MemberDevice[];
  readonly device: (address: Address) => MemberDevice | undefined;
  readonly heard: HeardDevices;
  /** The ids of all times that a device may have in Home Assistant; none by default. */
  readonly times?: readonly string[];
  /** The advertising devices of the server's kind, to report which server hears which device; not reported if left out. */
  readonly listen?: Listen;
  /** The address of the server's page; undefined: other machines cannot open it. */
  readonly page?: string | undefined;
}

export type FleetState = (typeof MQTT_STATES)[number];

/** The broker as its device server sees it. */
export interface Fleet {
  /** The name of this server; empty without a broker. */
  readonly name: string;
  readonly state: FleetState;
  /** Whether the devices are announced to Home Assistant. */
  readonly inHomeAssistant: boolean;
  readonly linkedNeighbour: LinkedNeighbour;
  /** The receivers of the events of a device. */
  readonly receivers: (address: Address) => readonly Receiver[];
  /** To be called whenever the state of a device may have changed, and when its session begins or ends. */
  readonly changed: (address: Address) => void;
  /** To be called before a client ends a session: the device leaves Home Assistant with it. */
  readonly dismiss: (address: Address) => void;
  /** Serves `member` from now on; the result ends its reports of the devices that it hears. */
  readonly join: (member: Member) => Unsubscribe;
  /** Publishes that the server is offline, and ends the connection, within about 2 s. */
  readonly close: Task<void>;
}

/** A server without a broker. */
export const NO_FLEET: Fleet = {
  name: '',
  state: 'off',
  inHomeAssistant: false,
  linkedNeighbour: ALONE,
  receivers: () => [],
  changed: () => undefined,
  dismiss: () => undefined,
  join: () => () => undefined,
  close: () => Promise.resolve(),
};
