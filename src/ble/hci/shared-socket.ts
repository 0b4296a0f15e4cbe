/**
 * An adapter that is shared with the kernel, by a raw socket. On such a socket the native module turns LE Create Connection
 * into a connect of the kernel, which blocks the whole process until the kernel has found the device, up to 2 s. For each new
 * link it opens an L2CAP socket, which also blocks if the kernel does not know the link yet. That socket is necessary, since
 * the kernel ends links without one. Here, commands go to the controller unchanged, and the L2CAP socket is opened when the
 * kernel knows the link, so that it does not block.
 */
import { closeSync, existsSync } from 'node:fs';
import { unlessShort } from '../../bytes/index.js';
import { LinkLog, type ReportedLink } from './link-log.js';
import { NativeSocket, newSocketOf } from './native-socket.js';
import { EventCode, LeSubevent, PacketType, encodeCommand, events } from './packets.js';

/** Whether the kernel has the link with this handle, on the adapter with this number. */
export type KernelHas = (device: number, handle: number) => boolean;

const inSysfs: KernelHas = (device, handle) => existsSync(`/sys/class/bluetooth/hci${device}:${handle}`);

/** Makes the native module open an L2CAP socket, by a command that it does not send. */
const holdingCommand = ({ peer, interval, latency, supervisionTimeout }: ReportedLink): Buffer =>
  encodeCommand('leCreateConnection', {
    // If the module cannot open the socket, it sends the command; the controller refuses it for these values.
    ...{ scanInterval: 0, scanWindow: 0 },
    ...{ filterPolicy: 0, ownAddressType: 0 },
    ...{ peerAddressType: peer.type === 'public' ? 0 : 1, peerAddress: peer.address },
    ...{ connectionIntervalMin: interval, connectionIntervalMax: interval },
    ...{ maxLatency: latency, supervisionTimeout, minCeLength: 0, maxCeLength: 0 },
  });

/** Holds every link of which this host is the central, as soon as the kernel knows it. */
class Holder {
  private readonly links = new LinkLog((link) => ({ ...link, isHeld: false }));
  /** A second socket, on which the module may interfere. */
  private native: NativeSocket | undefined;
  /** The L2CAP sockets, by address: the module closes one before it opens the next to the same device. */
  private readonly l2cap = new Map<string, number>();

  constructor(
    private readonly device: number,
    private readonly kernelHas: KernelHas,
    private readonly failed: (error: unknown) => void,
  ) {}

  receive(packet: Buffer): void {
    if (packet[0] !== PacketType.event) return;
    unlessShort(() => {
      this.links.take(packet.subarray(1));
      if (packet[1] === EventCode.leMeta && packet[3] === LeSubevent.readRemoteFeaturesComplete)
        this.kernelKnows(events.readRemoteFeaturesComplete.read(packet.subarray(4)).handle);
    });
  }

  close(): void {
    for (const descriptor of this.l2cap.values()) closeSync(descriptor);
    this.native?.stop();
  }

  /** The kernel reads the remote features of each link as soon as it knows the link. */
  private kernelKnows(handle: number): void {
    const link = this.links.get(handle);
    if (link === undefined || !link.isCentral || link.isHeld) return;
    link.isHeld = true;
    // If the link has ended, the kernel would connect again.
    if (!this.kernelHas(this.device, handle)) return;
    try {
      this.hold(link);
    } catch (error) {
      this.failed(error);
    }
  }

  private hold(link: ReportedLink): void {
    const native = (this.native ??= this.open());
    const descriptor = newSocketOf(() => native.write(holdingCommand(link)));
    if (descriptor === undefined) this.l2cap.delete(link.peer.address);
    else this.l2cap.set(link.peer.address, descriptor);
  }

  private open(): NativeSocket {
    const native = new NativeSocket();
    native.bindRaw(this.device);
    return native;
  }
}

export class SharedSocket extends NativeSocket {
  private holder: Holder | undefined;

  /** @throws the errors of `NativeSocket`. */
  constructor(private readonly kernelHas: KernelHas = inSysfs) {
    super();
    this.on('data', (packet: Buffer) => this.holder?.receive(packet));
  }

  override bindRaw(adapter?: number): number {
    const device = super.bindRaw(adapter);
    this.stopInterference();
    this.holder = new Holder(device, this.kernelHas, (error) => this.emit('error', error));
    return device;
  }

  override stop(): void {
    this.holder?.close();
    this.holder = undefined;
    super.stop();
  }

  /**
   * The module interferes only on a raw channel. It remembers the channel of the last bind call, even though the kernel
   * refuses to bind a socket twice (EALREADY; `hci_sock_bind` in net/bluetooth/hci_sock.c).
   */
  private stopInterference(): void {
    try {
      this.bindControl();
    } catch {
      return;
    }
    throw new Error('the socket is bound to the control channel');
  }
}
