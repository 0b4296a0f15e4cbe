import { H4Stream } from '../hci/h4-stream.js';
import { HostSocket, type HciTransport } from '../hci/host-socket.js';
import { describeHciSpec, type NamedSpec, type NativeSpec, type OwnSpec } from '../hci/spec.js';
import { SharedSocket } from '../hci/shared-socket.js';
import type { HciSocket } from '../hci/socket.js';
import { UserChannel } from '../hci/user-channel.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import { EventEmitter } from 'node:events';

/** How often the state of a native adapter is polled, ms. */
const POLL_MS = 1000;

/**
 * The way of HCI packets to a controller, for several nobles one after another. Emits `up`, `down`, `opened`, and
 * `refused` (error) when the adapter was lost and cannot be opened again, once until the reason changes or it is open. An H4 stream emits `failed` (error)
 * each time it cannot be opened.
 */
export interface Transport extends EventEmitter {
  readonly name: string;
  readonly device: number | undefined;
  /** Whether the Linux kernel drives the controller as well. */
  readonly kernel: boolean;
  /** The socket for a new noble, without the listeners of the last noble. */
  socket(): HciSocket;
  close(): void;
}

/** Gets every packet to and from a controller before anything else does. */
export interface Tap {
  readonly sent: (packet: Buffer) => void;
  readonly received: (packet: Buffer) => void;
}

export const openTransport = (spec: NamedSpec | OwnSpec, time: TimeSource, tap?: Tap): Transport =>
  spec.kind === 'native' ? new NativeTransport(spec, time, tap) : new HostTransport(spec, time, tap);

/** `event`: the name of the event by which `socket` emits packets. */
const tapped = <S extends HciTransport | HciSocket>(
  socket: S,
  event: 'packet' | 'data',
  tap: Tap | undefined,
): S => {
  if (tap === undefined) return socket;
  const write = socket.write.bind(socket);
  socket.write = (packet) => {
    tap.sent(packet);
    write(packet);
  };
  socket.on(event, tap.received);
  return socket;
};

/** A controller that no kernel shares. */
class HostTransport extends EventEmitter implements Transport {
  readonly name: string;
  readonly device = undefined;
  readonly kernel = false;
  private readonly host: HostSocket;

  constructor(spec: Exclude<NamedSpec, NativeSpec> | OwnSpec, time: TimeSource, tap?: Tap) {
    super();
    this.name = describeHciSpec(spec);
    const transport = spec.kind === 'user' ? new UserChannel(spec.device, time) : new H4Stream(spec);
    transport.on('error', (error: Error) => this.emit('failed', error));
    this.host = new HostSocket(tapped(transport, 'packet', tap), time);
    this.host.on('up', () => this.emit('up'));
    this.host.on('down', () => this.emit('down'));
    this.host.on('opened', () => this.emit('opened'));
    this.host.on('refused', (error: Error) => this.emit('refused', error));
  }

  socket(): HciSocket {
    this.host.removeAllListeners('data');
    this.host.removeAllListeners('error');
    return this.host;
  }

  close(): void {
    this.host.removeAllListeners();
    this.host.on('error', () => undefined);
    this.host.stop();
  }
}

/** An adapter that the kernel shares; its state is polled, since the socket does not report changes. */
class NativeTransport extends EventEmitter implements Transport {
  readonly name: string;
  readonly device: number;
  readonly kernel = true;
  private native: SharedSocket | undefined;
  private cancelPoll: Cancel | undefined;
  private wasUp = false;

  constructor(
    spec: NativeSpec,
    private readonly time: TimeSource,
    private readonly tap: Tap | undefined,
  ) {
    super();
    this.name = describeHciSpec(spec);
    this.device = spec.device;
  }

  socket(): HciSocket {
    this.native?.stop();
    this.native = undefined;
    this.native = new SharedSocket();
    this.wasUp = false;
    this.poll();
    return tapped(this.native, 'data', this.tap);
  }

  close(): void {
    this.cancelPoll?.();
    this.native?.stop();
    this.native = undefined;
  }

  private poll(): void {
    this.cancelPoll?.();
    this.cancelPoll = this.time.after(POLL_MS, () => {
      this.poll();
      this.check();
    });
  }

  private check(): void {
    const up = this.native?.isDevUp() ?? false;
    if (up === this.wasUp) return;
    this.wasUp = up;
    this.emit(up ? 'up' : 'down');
  }
}
