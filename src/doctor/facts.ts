/** The facts of a machine: `gather.ts` collects them, `checks.ts` and `ways.ts` judge them. */
import type { Either } from 'fp-ts/lib/Either.js';
import type { BluezAdapter } from '../ble/bluez/index.js';
import type { Problem } from '../ble/problem.js';

/** An adapter of Linux. */
export interface AdapterFacts {
  /** Such as `hci0`. */
  readonly name: string;
  /** Undefined: it could not be queried. */
  readonly up: boolean | undefined;
  /** How rfkill blocks it: by software, or by a switch on the machine. */
  readonly blocked: 'soft' | 'hard' | undefined;
}

/** A process with a Bluetooth socket. */
export interface SocketOwner {
  readonly pid: number;
  readonly command: string;
}

export interface PortFacts {
  readonly port: number;
  readonly what: string;
  readonly free: boolean;
  /** The program of airbench that has the port, such as `dice server`. */
  readonly airbench?: string | undefined;
}

/** The state of the native module; `socket`: why the system gives the module no Bluetooth socket. */
export type NativeFacts =
  | { readonly state: 'loaded'; readonly socket: string | undefined }
  | ({ readonly state: 'failed' } & Required<Problem>);

export interface LinuxFacts {
  readonly kernelHasBluetooth: boolean;
  readonly adapters: readonly AdapterFacts[];
  readonly native: NativeFacts;
  /** Whether this process may use raw sockets: root, or the capability CAP_NET_RAW. */
  readonly mayUseRawSockets: boolean;
  /** Whether it may have an adapter to itself: root, or the capability CAP_NET_ADMIN. */
  readonly mayTakeAdapters: boolean;
  /** Whether it may make adapters of the kernel, by `/dev/vhci`. */
  readonly vhci: 'allowed' | 'denied' | 'missing';
  readonly inContainer: boolean;
  /** Whether the system bus has a socket here. */
  readonly bus: boolean;
  readonly bluetoothd: 'running' | 'installed' | 'missing';
  /** The adapters of BlueZ. Left: the reason why it cannot be used. */
  readonly bluez: Either<Problem, readonly BluezAdapter[]>;
  /** Other processes with a Bluetooth socket, as far as this user may see. */
  readonly socketOwners: readonly SocketOwner[];
  /** Sockets whose owner this user may not see. */
  readonly unknownOwners: number;
}

export interface Facts {
  readonly platform: NodeJS.Platform;
  /** Such as `24.1.0`. */
  readonly nodeVersion: string;
  /** The file of Node that runs, with symbolic links resolved. */
  readonly nodePath: string;
  readonly ports: readonly PortFacts[];
  /** Undefined on other systems. */
  readonly linux: LinuxFacts | undefined;
}
