/**
 * An adapter that Linux hands over to one program, as a transport of packets: the HCI user channel. The kernel neither
 * sends to the controller nor heeds what it says, and the native module does nothing of its own there either
 * (`hci_sock_bind` in net/bluetooth/hci_sock.c of Linux).
 */
import { EventEmitter } from 'node:events';
import { openClosableSocket, type ClosableSocket } from './closable-socket.js';
import type { HciTransport } from './host-socket.js';

/** How often the kernel is asked whether the adapter is still there, milliseconds. */
const POLL_MS = 200;

export class UserChannel extends EventEmitter implements HciTransport {
  /** As long as Linux waits for the answer to a command. */
  readonly resetLimit = 2000;
  private channel: ClosableSocket | undefined;
  /** Not bound: on the user channel itself nothing can be asked. */
  private kernel: ClosableSocket | undefined;
  private poll: NodeJS.Timeout | undefined;

  constructor(private readonly device: number) {
    super();
  }

  /** @throws what the native module throws: EBUSY if the adapter is up, EPERM without CAP_NET_ADMIN, ENODEV. */
  open(): void {
    this.close();
    try {
      this.kernel = openClosableSocket();
      this.channel = openClosableSocket();
      this.channel.socket.bindUser(this.device);
    } catch (error) {
      this.close();
      throw error;
    }
    const { socket } = this.channel;
    socket.on('data', (packet: Buffer) => this.emit('packet', packet));
    socket.on('error', (error: Error) => this.emit('error', error));
    socket.start();
    this.poll = setInterval(() => this.ask(), POLL_MS).unref();
    this.emit('open');
  }

  write(packet: Buffer): void {
    this.channel?.socket.write(packet);
  }

  close(): void {
    clearInterval(this.poll);
    this.channel?.close();
    this.kernel?.close();
    this.channel = undefined;
    this.kernel = undefined;
  }

  private ask(): void {
    const list = this.kernel?.socket.getDeviceList() ?? [];
    if (list.some(({ devId, devUp }) => devId === this.device && devUp)) return;
    this.close();
    this.emit('close');
  }
}
