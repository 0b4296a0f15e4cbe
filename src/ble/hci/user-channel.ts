/**
 * An adapter that Linux hands over to one program, as a carrier of packets: the HCI user channel. The kernel neither
 * sends to the controller nor heeds what it says, and the native module does nothing of its own there either
 * (`hci_sock_bind` in net/bluetooth/hci_sock.c of Linux).
 */
import { EventEmitter } from 'node:events';
import type { Carrier } from './host-socket.js';
import type { HciSocket } from './socket.js';
import { openNativeSocket } from './stand-in.js';

/** How often the kernel is asked whether the adapter is still there, milliseconds. */
const POLL_MS = 1000;

/** What the native module offers beyond what noble needs; a socket on the user channel cannot be asked. */
interface NativeSocket extends HciSocket {
  getDeviceList(): readonly { readonly devId: number; readonly devUp: boolean }[];
}

export class UserChannel extends EventEmitter implements Carrier {
  /** As long as Linux waits for the answer to a command. */
  readonly resetLimit = 2000;
  private native: HciSocket | undefined;
  private poll: NodeJS.Timeout | undefined;

  constructor(private readonly device: number) {
    super();
  }

  /** @throws what the native module throws: EBUSY if the adapter is up, EPERM without CAP_NET_ADMIN, ENODEV. */
  open(): void {
    const kernel = openNativeSocket() as NativeSocket;
    const native = openNativeSocket();
    native.bindUser(this.device);
    this.native = native;
    native.on('data', (packet: Buffer) => this.emit('packet', packet));
    native.on('error', (error: Error) => this.emit('error', error));
    native.start();
    this.poll = setInterval(() => {
      const held = kernel.getDeviceList().some(({ devId, devUp }) => devId === this.device && devUp);
      if (held) return;
      this.close();
      this.emit('close');
    }, POLL_MS).unref();
    this.emit('open');
  }

  write(packet: Buffer): void {
    this.native?.write(packet);
  }

  close(): void {
    clearInterval(this.poll);
    this.native?.removeAllListeners();
    this.native?.stop();
    this.native = undefined;
  }
}
