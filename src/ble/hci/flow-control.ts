/**
 * HCI flow control, as in a kernel between a raw socket and its controller: of data, and of commands, each of which waits for
 * the answer to the previous one (Core 5.4 Vol 4 Part E 4.4). So several hosts may share a controller.
 */
import { DataFlow } from './data-flow.js';
import { EventCode, PacketType } from './packets.js';
import type { Cancel, TimeSource } from '../../async/time.js';

/** After this time without an answer the next command is sent, as Linux does. */
const COMMAND_TIMEOUT_MS = 2000;

/** After this many commands in a row without an answer the controller is unresponsive. */
const MAX_UNANSWERED = 3;

/** The opcode in an event that only returns command credits (Core 5.4 Vol 4 Part E 7.7.14). */
const NO_COMMAND = 0x0000;

/** Events with credits for commands, and their minimum lengths, type byte and header included. */
const minimumLengths: Readonly<Record<number, number>> = {
  [EventCode.commandComplete]: 6,
  [EventCode.commandStatus]: 7,
};

export class FlowControl {
  private readonly commands: Buffer[] = [];
  /** The command that waits for its answer, or for a credit. */
  private pending: { readonly opcode: number; readonly cancelTimeout: Cancel } | undefined;
  /** Commands without an answer in a row. */
  private unanswered = 0;
  private readonly data: DataFlow;

  /** `unresponsive` is called when the controller has left several commands in a row unanswered, 2 s for each. */
  constructor(
    private readonly out: (packet: Buffer) => void,
    private readonly unresponsive: () => void,
    private readonly time: TimeSource,
  ) {
    this.data = new DataFlow(out);
  }

  /** Queues a packet of a host. */
  send(packet: Buffer): void {
    if (packet[0] === PacketType.command) {
      this.commands.push(packet);
      this.pumpCommands();
    } else if (packet[0] === PacketType.acl) {
      this.data.send(packet);
    } else {
      this.out(packet);
    }
  }

  /** Takes an event of the controller, and sends the packets for which it makes room. */
  receive(event: Buffer): void {
    this.data.receive(event);
    const code = event[1] ?? 0;
    const minimum = minimumLengths[code];
    if (minimum === undefined || event.length < minimum) return;
    if (code === EventCode.commandComplete) this.answered(event.readUInt16LE(4), event.readUInt8(3));
    else this.answered(event.readUInt16LE(5), event.readUInt8(4));
  }

  /** The controller was reset or is gone: all queues are dropped. */
  reset(): void {
    this.pending?.cancelTimeout();
    this.pending = undefined;
    this.unanswered = 0;
    this.commands.length = 0;
    this.data.reset();
  }

  private pumpCommands(): void {
    if (this.pending !== undefined) return;
    const command = this.commands.shift();
    if (command === undefined) return;
    const opcode = command.readUInt16LE(1);
    this.pending = { opcode, cancelTimeout: this.time.after(COMMAND_TIMEOUT_MS, () => this.timedOut()) };
    this.out(command);
  }

  /**
   * `credits`: how many commands the controller takes now; at 0 an event with opcode 0 brings the next credit.
   * Answers to commands that are not pending, such as a second Reset, give no credit.
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
}
