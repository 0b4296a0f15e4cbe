/**
 * The HCI user channel: an adapter that Linux hands over to one program, as a transport of packets. The kernel does not
 * use the controller meanwhile, and the native module only passes packets on (`hci_sock_bind` in
 * net/bluetooth/hci_sock.c of Linux).
 */
import { EventEmitter } from 'node:events';
import type { HciTransport } from './host-socket.js';
import { NativeSocket } from './native-socket.js';
import type { Cancel, TimeSource } from '../../async/time.js';

/** The interval of checks that the adapter still exists, milliseconds. */
const POLL_MS = 200;

export class UserChannel extends EventEmitter implements HciTransport {
  /** Linux waits this long for the answer to a command. */
  readonly resetLimit = 2000;
  /** Kept after a refusal, to be bound at the next attempt. */
  private channel: NativeSocket | undefined;
  /** Not bound, since a bound socket cannot list adapters. */
  private kernel: NativeSocket | undefined;
  private cancelPoll: Cancel | undefined;

  constructor(
    private readonly device: number,
    private readonly time: TimeSource,
  ) {
    super();
  }

  /** @throws the errors of `NativeSocket`: EBUSY if the adapter is up, EPERM without CAP_NET_ADMIN, ENODEV. */
  open(): void {
    this.kernel ??= new NativeSocket();
    const channel = (this.channel ??= new NativeSocket());
    channel.bindUser(this.device);
    channel.on('data', (packet: Buffer) => this.emit('packet', packet));
    channel.on('error', (error: Error) => this.emit('error', error));
    channel.start();
    this.poll();
    this.emit('open');
  }

  write(packet: Buffer): void {
    this.channel?.write(packet);
  }

  close(): void {
    this.cancelPoll?.();
    this.channel?.stop();
    this.channel = undefined;
  }

  private poll(): void {
    this.cancelPoll = this.time.after(POLL_MS, () => {
      const list = this.kernel?.getDeviceList() ?? [];
      if (list.some(({ devId, devUp }) => devId === this.device && devUp)) {
        this.poll();
        return;
      }
      this.close();
      this.emit('close');
    });
  }
}
