/** The kernel's adapters, played by controllers of a virtual air: what the native module offers, and no more. */
import { EventEmitter } from 'node:events';
import { PacketType, encodeCommand } from '../../src/ble/hci/packets.js';
import type { HciSocket } from '../../src/ble/hci/socket.js';
import { VirtualSocket, type Air } from '../../simulators/radio/index.js';

const systemError = (code: string, message: string): Error =>
  Object.assign(new Error(`${code}, ${message}`), { code });

export interface Adapters {
  readonly air: Air;
  /** By number. */
  readonly addresses: readonly string[];
  readonly permitted?: boolean;
  readonly up?: boolean;
  /** They have extended advertising; as by default. */
  readonly extended?: boolean;
}

class NativeSocket extends EventEmitter implements HciSocket {
  private socket: VirtualSocket | undefined;
  private filter: Buffer = Buffer.alloc(16);

  constructor(
    private readonly adapters: Adapters,
    private readonly opened: VirtualSocket[],
    private readonly written: Buffer[],
  ) {
    super();
  }

  bindRaw(device = 0): number {
    const { air, addresses } = this.adapters;
    const address = addresses[device];
    if (address === undefined) throw systemError('ENODEV', 'No such device');
    this.socket = new VirtualSocket(air, { address, maxLinks: 1 });
    this.opened.push(this.socket);
    if (this.adapters.extended === true) {
      this.socket.write(
        encodeCommand('leSetExtendedScanEnable', { enable: 0, filterDuplicates: 0, duration: 0, period: 0 }),
      );
    }
    this.socket.on('data', (packet: Buffer) => {
      if (this.passes(packet)) this.emit('data', packet);
    });
    return device;
  }

  bindUser = (): number => 0;
  bindControl = (): void => undefined;
  start = (): void => this.socket?.start();
  isDevUp = (): boolean => this.adapters.up ?? true;
  setFilter = (filter: Buffer): void => void (this.filter = filter);
  /** As in Linux, the controller stays as it is when its socket is closed. */
  stop = (): void => this.socket?.stop();

  write(packet: Buffer): void {
    this.written.push(packet);
    if (this.adapters.permitted ?? true) this.socket?.write(packet);
    else this.emit('error', systemError('EPERM', 'Operation not permitted'));
  }

  /** Linux' `struct hci_filter`: a bit for each packet type, two words of a bit for each event. */
  private passes(packet: Buffer): boolean {
    const type = packet.readUInt8(0);
    if ((this.filter.readUInt32LE(0) & (1 << type)) === 0) return false;
    if (type !== PacketType.event) return true;
    const event = packet.readUInt8(1) & 63;
    return (this.filter.readUInt32LE(event < 32 ? 4 : 8) & (1 << (event % 32))) !== 0;
  }
}

/** What stands in for the native module's class; the sockets behind it are kept in `opened`, the packets in `written`. */
export const nativeOn = (adapters: Adapters) => {
  const opened: VirtualSocket[] = [];
  const written: Buffer[] = [];
  function Native(): HciSocket {
    return new NativeSocket(adapters, opened, written);
  }
  return { Native, opened, written };
};
