/**
 * HCI flow control, as a kernel does it between a raw socket and its controller: a command is sent when the previous one
 * is answered (Core 5.4 Vol 4 Part E 4.4), a data packet when the controller has a buffer for it (4.1.1). So a host may
 * send at any time, and several hosts may share a controller.
 */
import { commandName, type CommandName } from './commands.js';
import { EventCode, PacketType } from './packets.js';
import { Status } from './status.js';
import type { Cancel, Clock } from '../../time.js';

/** After this time without an answer the next command is sent, as Linux does. */
const COMMAND_TIMEOUT_MS = 2000;

/** After so many commands in a row without an answer the controller is unresponsive. */
const MAX_UNANSWERED = 3;

/** The opcode in an event that only returns command credits (Core 5.4 Vol 4 Part E 7.7.14). */
const NO_COMMAND = 0x0000;

/** Events with credits, and their minimum lengths, type byte and header included. */
const minimumLengths: Readonly<Record<number, number>> = {
  [EventCode.commandComplete]: 6,
  [EventCode.commandStatus]: 7,
  [EventCode.numberOfCompletedPackets]: 4,
  [EventCode.disconnectionComplete]: 6,
};

export class FlowControl {
  private readonly commands: Buffer[] = [];
  private readonly data: Buffer[] = [];
  /** The command that waits for its answer, or for a credit. */
  private pending: { readonly opcode: number; readonly cancelTimeout: Cancel } | undefined;
  /** Commands without an answer in a row. */
  private unanswered = 0;
  /** Data packets in the buffers of the controller, by handle. */
  private readonly held = new Map<number, number>();
  /** Of all handles. */
  private occupied = 0;
  /** The number of data buffers; undefined until the host has read it. */
  private buffers: number | undefined;

  /** `unresponsive` is called when the controller has left several commands in a row unanswered, 2 s for each. */
  constructor(
    private readonly out: (packet: Buffer) => void,
    private readonly unresponsive: () => void,
    private readonly clock: Clock,
  ) {}

  /** Queues a packet of a host. */
  send(packet: Buffer): void {
    if (packet[0] === PacketType.command) {
      this.commands.push(packet);
      this.pumpCommands();
    } else if (packet[0] === PacketType.acl) {
      this.data.push(packet);
      this.pumpData();
    } else {
      this.out(packet);
    }
  }

  /** Takes an event of the controller, and sends what it makes room for. */
  receive(event: Buffer): void {
    const code = event[1] ?? 0;
    const minimum = minimumLengths[code];
    if (minimum === undefined || event.length < minimum) return;
    switch (code) {
      case EventCode.commandComplete:
        this.learn(commandName(event.readUInt16LE(4)), event);
        this.answered(event.readUInt16LE(4), event.readUInt8(3));
        break;
      case EventCode.commandStatus:
        this.answered(event.readUInt16LE(5), event.readUInt8(4));
        break;
      case EventCode.numberOfCompletedPackets:
        for (let at = 4; at + 4 <= event.length; at += 4) {
          this.hold(event.readUInt16LE(at) & 0x0fff, -event.readUInt16LE(at + 2));
        }
        this.pumpData();
        break;
      case EventCode.disconnectionComplete:
        if (event[3] === Status.success) this.linkEnded(event.readUInt16LE(4) & 0x0fff);
        break;
    }
  }

  /** The controller was reset or is gone: all queues are dropped. */
  reset(): void {
    this.pending?.cancelTimeout();
    this.pending = undefined;
    this.unanswered = 0;
    this.commands.length = 0;
    this.data.length = 0;
    this.releaseAll();
    this.buffers = undefined;
  }

  private pumpCommands(): void {
    if (this.pending !== undefined) return;
    const command = this.commands.shift();
    if (command === undefined) return;
    const opcode = command.readUInt16LE(1);
    this.pending = { opcode, cancelTimeout: this.clock.after(COMMAND_TIMEOUT_MS, () => this.timedOut()) };
    this.out(command);
  }

  /**
   * `credits`: how many commands the controller takes now; at 0 an event with opcode 0 brings the next credit.
   * Answers to commands of others, such as a second Reset, give no credit.
   */
  private answered(opcode: number, credits: number): void {
    this.unanswered = 0;
    if (this.pending?.opcode !== opcode) return;
    if (credits > 0) this.proceed();
    else this.pending = { ...this.pending, opcode: NO_COMMAND };
  }

  private timedOut(): void {
    this.unanswered += 1;
    if (this.unanswered < MAX_UNANSWERED) this.proceed();
    else this.unresponsive();
  }

  private proceed(): void {
    this.pending?.cancelTimeout();
    this.pending = undefined;
    this.pumpCommands();
  }

  private pumpData(): void {
    while (this.occupied < (this.buffers ?? Infinity)) {
      const packet = this.data.shift();
      if (packet === undefined) return;
      const handle = packet.readUInt16LE(1) & 0x0fff;
      this.hold(handle, 1);
      this.out(packet);
    }
  }

  /** `change`: packets that the controller has got of a link, or less than 0, returned. */
  private hold(handle: number, change: number): void {
    const before = this.held.get(handle) ?? 0;
    const after = Math.max(0, before + change);
    this.occupied += after - before;
    if (after > 0) this.held.set(handle, after);
    else this.held.delete(handle);
  }

  private releaseAll(): void {
    this.held.clear();
    this.occupied = 0;
  }

  /** Its buffers are free, and data that waits for it is dropped (Core 5.4 Vol 4 Part E 4.3). */
  private linkEnded(handle: number): void {
    this.hold(handle, -Infinity);
    const waiting = this.data.splice(0).filter((packet) => (packet.readUInt16LE(1) & 0x0fff) !== handle);
    this.data.push(...waiting);
    this.pumpData();
  }

  private learn(name: CommandName | undefined, event: Buffer): void {
    if (event[6] !== Status.success) return;
    if (name === 'reset') {
      this.releaseAll();
      this.data.length = 0;
    }
    // Zero LE buffers: LE shares those of BR/EDR (Core 5.4 Vol 4 Part E 7.8.2).
    if (name === 'leReadBufferSize' && event.length >= 10) {
      this.buffers = event.readUInt8(9) === 0 ? this.buffers : event.readUInt8(9);
    }
    if (name === 'readBufferSize' && event.length >= 12) this.buffers ??= event.readUInt16LE(10);
  }
}
