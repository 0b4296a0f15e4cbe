/**
 * Flow control of data: a packet is sent when the controller has a buffer for it (Core 5.4 Vol 4 Part E 4.1.1). So a host
 * may send at any time.
 */
import { commandName, type CommandName } from './commands.js';
import { EventCode, aclHandle } from './packets.js';
import { Status } from './status.js';

/** Events with credits, and their minimum lengths, type byte and header included. */
const minimumLengths: Readonly<Record<number, number>> = {
  [EventCode.commandComplete]: 7,
  [EventCode.numberOfCompletedPackets]: 4,
  [EventCode.disconnectionComplete]: 6,
};

export class DataFlow {
  private readonly waiting: Buffer[] = [];
  /** Packets in the buffers of the controller, by handle. */
  private readonly held = new Map<number, number>();
  /** The sum of `held`. */
  private occupied = 0;
  /** The number of buffers; undefined until the host has read it. */
  private buffers: number | undefined;

  constructor(private readonly out: (packet: Buffer) => void) {}

  /** Queues a data packet of a host. */
  send(packet: Buffer): void {
    this.waiting.push(packet);
    this.pump();
  }

  /** Takes an event of the controller, and sends the packets for which it makes room. */
  receive(event: Buffer): void {
    const code = event[1] ?? 0;
    const minimum = minimumLengths[code];
    if (minimum === undefined || event.length < minimum) return;
    switch (code) {
      case EventCode.commandComplete:
        this.learn(commandName(event.readUInt16LE(4)), event);
        break;
      case EventCode.numberOfCompletedPackets:
        for (let at = 4; at + 4 <= event.length; at += 4) {
          this.hold(event.readUInt16LE(at) & 0x0fff, -event.readUInt16LE(at + 2));
        }
        this.pump();
        break;
      case EventCode.disconnectionComplete:
        if (event[3] === Status.success) this.linkEnded(event.readUInt16LE(4) & 0x0fff);
        break;
    }
  }

  /** The controller was reset or is gone: waiting packets are dropped. */
  reset(): void {
    this.empty();
    this.buffers = undefined;
  }

  private empty(): void {
    this.waiting.length = 0;
    this.held.clear();
    this.occupied = 0;
  }

  private pump(): void {
    while (this.occupied < (this.buffers ?? Infinity)) {
      const packet = this.waiting.shift();
      if (packet === undefined) return;
      this.hold(aclHandle(packet), 1);
      this.out(packet);
    }
  }

  /** `change`: packets of a link that the controller has received or, below 0, returned. */
  private hold(handle: number, change: number): void {
    const before = this.held.get(handle) ?? 0;
    const after = Math.max(0, before + change);
    this.occupied += after - before;
    if (after > 0) this.held.set(handle, after);
    else this.held.delete(handle);
  }

  /** Frees the buffers of a link, and drops its waiting data (Core 5.4 Vol 4 Part E 4.3). */
  private linkEnded(handle: number): void {
    this.hold(handle, -Infinity);
    const remaining = this.waiting.splice(0).filter((packet) => aclHandle(packet) !== handle);
    this.waiting.push(...remaining);
    this.pump();
  }

  private learn(name: CommandName | undefined, event: Buffer): void {
    if (event[6] !== Status.success) return;
    if (name === 'reset') this.empty();
    // Zero LE buffers: LE shares the buffers of BR/EDR (Core 5.4 Vol 4 Part E 7.8.2).
    if (name === 'leReadBufferSize' && event.length >= 10) {
      this.buffers = event.readUInt8(9) === 0 ? this.buffers : event.readUInt8(9);
    }
    if (name === 'readBufferSize' && event.length >= 12) this.buffers ??= event.readUInt16LE(10);
  }
}
