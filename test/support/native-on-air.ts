/** The kernel's adapters, played by controllers of a virtual air: what the native module offers, and no more. */
import { EventEmitter } from 'node:events';
import { EventCode, PacketType } from '../../src/ble/hci/packets.js';
import type { HciSocket } from '../../src/ble/hci/socket.js';
import { VirtualSocket, type Air } from '../../simulators/radio/index.js';
import { bytes } from './hci-host.js';

const systemError = (code: string, message: string): Error =>
  Object.assign(new Error(`${code}, ${message}`), { code });

export interface Adapters {
  readonly air: Air;
  /** By number. */
  readonly addresses: readonly string[];
  readonly permitted?: boolean;
  readonly up?: boolean;
  /** What they have of the extended commands; both if left out. */
  readonly extended?: { readonly scanning: boolean; readonly advertising: boolean };
  /** How many links each has room for; 1 if left out. */
  readonly maxLinks?: number;
}

/** Set Event Mask and LE Set Event Mask as Linux 6.1 sends them to such a controller, LE Enhanced Connection Complete among them. */
const KERNEL_MASKS = [
  bytes('01 01 0C 08 90 E8 04 02 00 80 00 20'),
  bytes('01 01 20 08 FF 1B 0A 00 00 00 00 00'),
];
/** LE Set Extended Scan Enable, off. */
const KERNEL_SCAN = bytes('01 42 20 06 00 00 00 00 00 00');
/** LE Read Local Supported Features, and of its answer the octet with LE Extended Advertising (Core 5.4 Vol 6 Part B 4.6). */
const FEATURES = { opcode: 0x2003, octet: 7 + 1, extendedAdvertising: 0x10 };

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
    const { air, addresses, maxLinks = 1, extended } = this.adapters;
    const address = addresses[device];
    if (address === undefined) throw systemError('ENODEV', 'No such device');
    this.socket = new VirtualSocket(air, { address, maxLinks });
    this.opened.push(this.socket);
    for (const mask of KERNEL_MASKS) this.socket.write(mask);
    if (extended?.scanning ?? true) this.socket.write(KERNEL_SCAN);
    this.socket.on('data', (packet: Buffer) => {
      if (extended?.advertising === false) withoutExtendedAdvertising(packet);
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

const withoutExtendedAdvertising = (packet: Buffer): void => {
  if (packet[1] !== EventCode.commandComplete || packet.readUInt16LE(4) !== FEATURES.opcode) return;
  packet[FEATURES.octet] = (packet[FEATURES.octet] ?? 0) & ~FEATURES.extendedAdvertising;
};

/** What stands in for the native module's class; the sockets behind it are kept in `opened`, the packets in `written`. */
export const nativeOn = (adapters: Adapters) => {
  const opened: VirtualSocket[] = [];
  const written: Buffer[] = [];
  function Native(): HciSocket {
    return new NativeSocket(adapters, opened, written);
  }
  return { Native, opened, written };
};
