/** Adapters of the kernel behind the interface of the native module, simulated by controllers of a virtual air. */
import { EventEmitter } from 'node:events';
import type { HciSocket } from '../../src/ble/hci/socket.js';
import { VirtualSocket, type Air } from '../../simulators/radio/index.js';

/** The numbers are those of Linux. */
const failure = (errno: number, message: string): Error => Object.assign(new Error(message), { errno });

interface Adapter {
  readonly controller: VirtualSocket;
  up: boolean;
}

export class UserChannels {
  /** Whether the program has CAP_NET_ADMIN. */
  permitted = true;
  /** Whether the test expects that programs share adapters. */
  shares = false;
  readonly adapters = new Map<number, Adapter>();
  /** The packets of programs to any adapter. */
  readonly written: Buffer[] = [];
  /** The stand-in for the native module's class. */
  readonly Native: () => HciSocket;

  constructor(private readonly air: Air) {
    const open = (): HciSocket => new NativeSocket(this);
    this.Native = function Native(): HciSocket {
      return open();
    };
  }

  /** Adds an adapter; `up`: a program has brought it up. It has room for many links. */
  plug(device: number, address: string, up = false): VirtualSocket {
    const controller = new VirtualSocket(this.air, { address });
    controller.start();
    this.adapters.set(device, { controller, up });
    return controller;
  }

  unplug(device: number): void {
    this.adapters.get(device)?.controller.detach();
    this.adapters.delete(device);
  }

  /** Whether an adapter is up, as it also is while one program uses it alone. */
  isUp(device: number): boolean | undefined {
    return this.adapters.get(device)?.up;
  }

  /** Brings an adapter up or down, as another program would. */
  bring(device: number, up: boolean): void {
    const adapter = this.adapters.get(device);
    if (adapter !== undefined) adapter.up = up;
  }

  end(): void {
    for (const device of [...this.adapters.keys()]) this.unplug(device);
  }
}

/** Behaves like the kernel (hci_sock_bind, hci_sock_sendmsg, hci_sock_ioctl in net/bluetooth/hci_sock.c) and the module. */
class NativeSocket extends EventEmitter implements HciSocket {
  private bound: Adapter | undefined;
  private raw = false;

  constructor(private readonly channels: UserChannels) {
    super();
  }

  bindUser(device = 0): number {
    const adapter = this.channels.adapters.get(device);
    if (!this.channels.permitted) throw new Error('Operation not permitted');
    if (adapter === undefined) throw new Error('No such device');
    if (adapter.up) throw new Error('Device or resource busy');
    adapter.up = true;
    this.bound = adapter;
    return device;
  }

  bindRaw(device = 0): number {
    const adapter = this.channels.adapters.get(device);
    if (!this.channels.shares) throw new Error('the program requested the raw channel');
    if (adapter === undefined) throw new Error('No such device');
    this.bound = adapter;
    this.raw = true;
    return device;
  }

  bindControl = (): void => {
    throw new Error('Operation already in progress');
  };
  setFilter = (): void => {
    if (!this.raw) this.emit('error', failure(77, 'File descriptor in bad state'));
  };
  isDevUp = (): boolean => this.raw && this.bound?.up === true;

  getDeviceList(): readonly { devId: number; devUp: boolean }[] {
    if (this.bound !== undefined) return [];
    return [...this.channels.adapters].map(([devId, { up }]) => ({ devId, devUp: up }));
  }

  start(): void {
    this.bound?.controller.on('data', this.hear);
  }

  /** Closes the socket: the adapter goes down, and its controller does not change (hci_sock_release). */
  stop(): void {
    if (this.bound === undefined) return;
    this.bound.controller.off('data', this.hear);
    if (!this.raw) this.bound.up = false;
    this.bound = undefined;
  }

  write(packet: Buffer): void {
    const { bound, channels } = this;
    channels.written.push(packet);
    if (bound !== undefined && [...channels.adapters.values()].includes(bound))
      bound.controller.write(packet);
    else this.emit('error', failure(32, 'Broken pipe'));
  }

  private readonly hear = (packet: Buffer): void => void this.emit('data', packet);
}
