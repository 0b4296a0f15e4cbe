/**
 * The HCI user channel: an adapter that Linux hands over to one program, as a transport of packets. The kernel does not
 * use the controller meanwhile, and the native module only passes packets on (`hci_sock_bind` in
 * net/bluetooth/hci_sock.c of Linux).
 */
import { EventEmitter } from 'node:events';
import { openClosableSocket, type ClosableSocket } from './closable-socket.js';
import type { HciTransport } from './host-socket.js';
import type { Cancel, TimeSource } from '../../async/time.js';

/** The interval of checks that the adapter still exists, milliseconds. */
const POLL_MS = 200;

export class UserChannel extends EventEmitter implements HciTransport {
  /** Linux waits this long for the answer to a command. */
  readonly resetLimit = 2000;
  private channel: ClosableSocket | undefined;
  /** Not bound, since a bound socket cannot list adapters. */
  private kernel: ClosableSocket | undefined;
  private cancelPoll: Cancel | undefined;

  constructor(
    private readonly device: number,
    private readonly time: TimeSource,
  ) {
    super();
  }

  /** @throws the errors of the native module: EBUSY if the adapter is up, EPERM without CAP_NET_ADMIN, ENODEV. */
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
    this.poll();
    this.emit('open');
  }

  write(packet: Buffer): void {
    this.channel?.socket.write(packet);
  }

  close(): void {
    this.cancelPoll?.();
    this.channel?.close();
    this.kernel?.close();
    this.channel = undefined;
    this.kernel = undefined;
  }

  private poll(): void {
    this.cancelPoll = this.time.after(POLL_MS, () => {
      const list = this.kernel?.socket.getDeviceList() ?? [];
      if (list.some(({ devId, devUp }) => devId === this.device && devUp)) {
        this.poll();
        return;
      }
      this.close();
      this.emit('close');
    });
  }
}
