/**
 * What a kernel does between a raw socket and its controller: a command leaves when the last is answered
 * (Core 5.4 Vol 4 Part E 4.4), a data packet when the controller has a buffer for it (4.1.1). Hosts on top of it may send
 * whenever they like, and several may send to one controller.
 */
import { commandName, type CommandName } from './commands.js';
import { EventCode, PacketType } from './packets.js';
import { Status } from './status.js';

/** A controller that does not answer a command for so long is sent the next one all the same, as Linux does. */
export const COMMAND_TIMEOUT_MS = 2000;

/** A controller that leaves so many commands in a row unanswered answers none any more. */
const MOST_UNANSWERED = 3;

/** Stands for a command in an event that only tells of room (Core 5.4 Vol 4 Part E 7.7.14). */
const NO_COMMAND = 0x0000;

/** Events that tell of room, and how long they are at least, type byte and header included. */
const shortestEvents: Readonly<Record<number, number>> = {
  [EventCode.commandComplete]: 6,
  [EventCode.commandStatus]: 7,
  [EventCode.numberOfCompletedPackets]: 4,
  [EventCode.disconnectionComplete]: 6,
};

export class FlowControl {
  private readonly commands: Buffer[] = [];
  private readonly data: Buffer[] = [];
  /** The command that waits for its answer, or for the controller to take another one. */
  private underWay: { readonly opcode: number; readonly due: NodeJS.Timeout } | undefined;
  /** Commands in a row without an answer. */
  private unanswered = 0;
  /** Packets that the controller holds, by handle. */
  private readonly held = new Map<number, number>();
  /** Undefined until the host has asked for it. */
  private buffers: number | undefined;

  /** `silent` is told of a controller that does not answer any more; each command may take `timeoutMs`. */
  constructor(
    private readonly out: (packet: Buffer) => void,
    private readonly silent: () => void,
    private readonly timeoutMs: number,
  ) {}

  /** A packet from a host, which leaves in its turn. */
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

  /** An event of the controller: whatever it makes room for leaves now. */
  heard(event: Buffer): void {
    const code = event[1] ?? 0;
    const shortest = shortestEvents[code];
    if (shortest === undefined || event.length < shortest) return;
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
          this.returned(event.readUInt16LE(at) & 0x0fff, event.readUInt16LE(at + 2));
        }
        this.pumpData();
        break;
      case EventCode.disconnectionComplete:
        if (event[3] === Status.success) this.linkEnded(event.readUInt16LE(4) & 0x0fff);
        break;
    }
  }

  /** The controller was reset or is gone: nothing is under way any more. */
  reset(): void {
    clearTimeout(this.underWay?.due);
    this.underWay = undefined;
    this.unanswered = 0;
    this.commands.length = 0;
    this.data.length = 0;
    this.held.clear();
    this.buffers = undefined;
  }

  private pumpCommands(): void {
    if (this.underWay !== undefined) return;
    const command = this.commands.shift();
    if (command === undefined) return;
    const opcode = command.readUInt16LE(1);
    this.underWay = { opcode, due: setTimeout(() => this.missed(), this.timeoutMs).unref() };
    this.out(command);
  }

  /**
   * `room`: how many commands the controller takes now; at 0 it says so later, by the answer to no command at all.
   * Answers to what others asked, as a second Reset, make no room.
   */
  private answered(opcode: number, room: number): void {
    this.unanswered = 0;
    if (this.underWay?.opcode !== opcode) return;
    if (room > 0) this.proceed();
    else this.underWay = { ...this.underWay, opcode: NO_COMMAND };
  }

  private missed(): void {
    this.unanswered += 1;
    if (this.unanswered < MOST_UNANSWERED) this.proceed();
    else this.silent();
  }

  private proceed(): void {
    clearTimeout(this.underWay?.due);
    this.underWay = undefined;
    this.pumpCommands();
  }

  private pumpData(): void {
    let free = (this.buffers ?? Infinity) - [...this.held.values()].reduce((sum, count) => sum + count, 0);
    for (; free > 0; free -= 1) {
      const packet = this.data.shift();
      if (packet === undefined) return;
      const handle = packet.readUInt16LE(1) & 0x0fff;
      this.held.set(handle, (this.held.get(handle) ?? 0) + 1);
      this.out(packet);
    }
  }

  private returned(handle: number, count: number): void {
    const held = (this.held.get(handle) ?? 0) - count;
    if (held > 0) this.held.set(handle, held);
    else this.held.delete(handle);
  }

  /** Its buffers are free, and what waited for it has nowhere to go (Core 5.4 Vol 4 Part E 4.3). */
  private linkEnded(handle: number): void {
    this.held.delete(handle);
    const waiting = this.data.splice(0).filter((packet) => (packet.readUInt16LE(1) & 0x0fff) !== handle);
    this.data.push(...waiting);
    this.pumpData();
  }

  private learn(name: CommandName | undefined, event: Buffer): void {
    if (event[6] !== Status.success) return;
    if (name === 'reset') {
      this.held.clear();
      this.data.length = 0;
    }
    // Zero LE buffers: those of BR/EDR are shared (Core 5.4 Vol 4 Part E 7.8.2).
    if (name === 'leReadBufferSize' && event.length >= 10) {
      this.buffers = event.readUInt8(9) === 0 ? this.buffers : event.readUInt8(9);
    }
    if (name === 'readBufferSize' && event.length >= 12) this.buffers ??= event.readUInt16LE(10);
  }
}
