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

/** A native socket whose L2CAP socket holds the link to one device. */
class Holder {
  private readonly native = new NativeSocket();
  private l2cap: number | undefined;

  /** @throws the error of `bindRaw`. */
  constructor(device: number) {
    this.native.bindRaw(device);
  }

  /** Makes the native module open its L2CAP socket, by a command that it does not send. */
  hold({ peer, interval, latency, supervisionTimeout }: ReportedLink): void {
    const command = encodeCommand('leCreateConnection', {
      // If the module cannot open the socket, it sends the command; the controller refuses it for these values.
      ...{ scanInterval: 0, scanWindow: 0 },
      ...{ filterPolicy: 0, ownAddressType: 0 },
      ...{ peerAddressType: peer.type === 'public' ? 0 : 1, peerAddress: peer.address },
      ...{ connectionIntervalMin: interval, connectionIntervalMax: interval },
      ...{ maxLatency: latency, supervisionTimeout, minCeLength: 0, maxCeLength: 0 },
    });
    this.l2cap = newSocketOf(() => this.native.write(command));
  }

  close(): void {
    if (this.l2cap !== undefined) closeSync(this.l2cap);
    this.native.stop();
  }
}

/** Holds every link of which this host is the central, as soon as the kernel knows it. */
class Holders {
  private readonly links = new LinkLog((link) => ({ ...link, isHeld: false }));
  /** One holder for each address: the module mixes up addresses on one socket. */
  private readonly holders = new Map<string, Holder>();

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
    for (const holder of this.holders.values()) holder.close();
  }

  /** The kernel reads the remote features of each link as soon as it knows the link. */
  private kernelKnows(handle: number): void {
    const link = this.links.get(handle);
    if (link === undefined || !link.isCentral || link.isHeld) return;
    link.isHeld = true;
    // If the link has ended, the kernel would connect again.
    if (!this.kernelHas(this.device, handle)) return;
    try {
      const holder = this.holders.get(link.peer.address) ?? new Holder(this.device);
      this.holders.set(link.peer.address, holder);
      holder.hold(link);
    } catch (error) {
      this.failed(error);
    }
  }
}

export class SharedSocket extends NativeSocket {
  private holders: Holders | undefined;

  /** @throws the errors of `NativeSocket`. */
  constructor(private readonly kernelHas: KernelHas = inSysfs) {
    super();
    this.on('data', (packet: Buffer) => this.holders?.receive(packet));
  }

  override bindRaw(adapter?: number): number {
    const device = super.bindRaw(adapter);
    this.stopInterference();
    this.holders = new Holders(device, this.kernelHas, (error) => this.emit('error', error));
    return device;
  }

  override stop(): void {
    this.holders?.close();
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
