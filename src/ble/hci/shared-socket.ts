/**
 * An adapter that the kernel drives as well, by a raw socket, without what the native module does of its own there: it
 * turns LE Create Connection into a connect of the kernel's, and waits for it, the whole process with it, for as long as
 * the kernel seeks the device; and of a link that it hears of it makes an L2CAP socket, which waits too where the kernel
 * has not noted that link yet. The L2CAP socket is needed, since the kernel ends a link that no socket holds. So commands
 * go to the controller as they are, and the socket is made once the kernel has the link and nothing is left to wait for.
 */
import { closeSync, existsSync } from 'node:fs';
import { openClosableSocket, openSockets, type ClosableSocket } from './closable-socket.js';
import { unlessShort } from '../../bytes/index.js';
import { EventCode, LeSubevent, PacketType, encodeCommand, events, type EventFields } from './packets.js';
import { Status } from './status.js';

const CENTRAL = 0;

/** Whether the kernel has the link with this handle, on the adapter with this number. */
export type KernelHas = (device: number, handle: number) => boolean;

const inSysfs: KernelHas = (device, handle) => existsSync(`/sys/class/bluetooth/hci${device}:${handle}`);

type Begun = Omit<EventFields<'connectionComplete'>, 'clockAccuracy'>;

/** A socket of the module's whose L2CAP socket holds the links to one device, one after the other. */
class Holder {
  private readonly native = openClosableSocket();
  private l2cap: number | undefined;

  /** @throws what binding throws. */
  constructor(device: number) {
    try {
      this.native.socket.bindRaw(device);
    } catch (error) {
      this.native.close();
      throw error;
    }
  }

  /** The module makes its L2CAP socket anew, of a command that it keeps to itself. */
  hold({ peerAddressType, peerAddress, interval, latency, supervisionTimeout }: Begun): void {
    const before = openSockets();
    this.native.socket.write(
      encodeCommand('leCreateConnection', {
        // If there can be no L2CAP socket the module sends the command after all; with these the controller refuses it.
        ...{ scanInterval: 0, scanWindow: 0 },
        // Public or random, whether the controller has resolved it or not.
        ...{ filterPolicy: 0, peerAddressType: peerAddressType & 1, peerAddress, ownAddressType: 0 },
        ...{ connectionIntervalMin: interval, connectionIntervalMax: interval },
        ...{ maxLatency: latency, supervisionTimeout, minCeLength: 0, maxCeLength: 0 },
      }),
    );
    this.l2cap = [...openSockets()].find(([target]) => !before.has(target))?.[1];
  }

  close(): void {
    if (this.l2cap !== undefined) closeSync(this.l2cap);
    this.native.close();
  }
}

/** Has every link held that this host begins, once the kernel has noted it. */
class Holders {
  /** By handle: links that the kernel may not have noted yet. */
  private readonly begun = new Map<number, Begun>();
  /** By address. The module cannot tell addresses apart well, so that each has a socket of its own. */
  private readonly holders = new Map<string, Holder>();

  constructor(
    private readonly device: number,
    private readonly kernelHas: KernelHas,
    private readonly failed: (error: unknown) => void,
  ) {}

  heard(packet: Buffer): void {
    if (packet[0] !== PacketType.event || packet[1] !== EventCode.leMeta) return;
    unlessShort(() => {
      const body = packet.subarray(4);
      if (packet[3] === LeSubevent.connectionComplete) this.begins(events.connectionComplete.read(body));
      if (packet[3] === LeSubevent.enhancedConnectionComplete) {
        this.begins(events.enhancedConnectionComplete.read(body));
      }
      if (packet[3] === LeSubevent.readRemoteFeaturesComplete) {
        this.noted(events.readRemoteFeaturesComplete.read(body).handle);
      }
    });
  }

  close(): void {
    for (const holder of this.holders.values()) holder.close();
  }

  private begins(link: Begun): void {
    if (link.status === Status.success && link.role === CENTRAL) this.begun.set(link.handle, link);
  }

  /** It is the kernel that asks for the features of the other side, of each link, as soon as it has noted it. */
  private noted(handle: number): void {
    const link = this.begun.get(handle);
    this.begun.delete(handle);
    // Of a link that has ended the kernel would make another one.
    if (link === undefined || !this.kernelHas(this.device, handle)) return;
    try {
      const holder = this.holders.get(link.peerAddress) ?? new Holder(this.device);
      this.holders.set(link.peerAddress, holder);
      holder.hold(link);
    } catch (error) {
      this.failed(error);
    }
  }
}

/** @throws what the native module throws, as where it is not built. */
export const openSharedSocket = (kernelHas: KernelHas = inSysfs): ClosableSocket => {
  const native = openClosableSocket();
  const { socket } = native;
  let holders: Holders | undefined;
  const bindRaw = socket.bindRaw.bind(socket);
  socket.bindRaw = (wanted) => {
    const device = bindRaw(wanted);
    interveneNoMore(socket);
    holders = new Holders(device, kernelHas, (error) => socket.emit('error', error));
    return device;
  };
  socket.on('data', (packet: Buffer) => holders?.heard(packet));
  return {
    socket,
    close: () => {
      holders?.close();
      native.close();
    },
  };
};

/**
 * The module does its own work on a raw channel alone, and goes by the channel that it was last told to bind to, though
 * the kernel binds a socket once and refuses the second time (EALREADY; `hci_sock_bind` in net/bluetooth/hci_sock.c).
 */
const interveneNoMore = (socket: ClosableSocket['socket']): void => {
  try {
    socket.bindControl();
  } catch {
    return;
  }
  throw new Error('the socket is bound to the control channel');
};
