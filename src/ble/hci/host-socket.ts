/**
 * A host's side of a controller that no kernel looks after, in the place of the kernel: it resets the controller before
 * the host may use it, notices when the controller is gone or back, has lost its state or answers no more, sends no more
 * than the controller has room for, and answers L2CAP connection parameter requests, which noble leaves to Linux.
 */
import { EventEmitter } from 'node:events';
import { COMMAND_TIMEOUT_MS, FlowControl } from './flow-control.js';
import { KnownLinks } from './known-links.js';
import { answerParameterRequest } from './l2cap-signaling.js';
import { EventCode, PacketType, completionOf, encodeCommand } from './packets.js';
import type { HciSocket } from './socket.js';
import { Status } from './status.js';

/** How soon a transport that was lost is opened again, milliseconds. */
const RETRY_MS = 200;

/**
 * What brings packets to a controller and back.
 *
 * Events: `open`; `packet` (packet: Buffer), its H4 type byte first; `error` (Error); `close` when the way to the
 * controller is lost, after which it may be opened again.
 */
export interface HciTransport extends EventEmitter {
  /** How long the controller may take to answer Reset before it is asked again, milliseconds. */
  readonly resetLimit: number;
  /** @throws what is known at once to be wrong. */
  open(): void;
  write(packet: Buffer): void;
  /** Lets go of the controller; there is no `close` event. */
  close(): void;
}

/**
 * Beside `up` and `down` it emits `refused` (error) when a transport that was lost cannot be opened again, once for each
 * reason.
 */
export class HostSocket extends EventEmitter implements HciSocket {
  private readonly refusals = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private running = false;
  private up = false;
  private readonly links = new KnownLinks();
  private readonly flow: FlowControl;

  constructor(
    private readonly transport: HciTransport,
    commandTimeoutMs = COMMAND_TIMEOUT_MS,
  ) {
    super();
    const send = (packet: Buffer): void => {
      this.links.sent(packet);
      transport.write(packet);
    };
    this.flow = new FlowControl(send, () => this.resetLost(), commandTimeoutMs);
    transport.on('open', () => this.reset());
    transport.on('packet', (packet: Buffer) => this.receive(packet));
    transport.on('error', (error: Error) => this.emit('error', error));
    transport.on('close', () => {
      this.goDown();
      this.after(RETRY_MS, () => this.reopen());
    });
  }

  // The transport knows which controller it is.
  bindRaw = (): number => 0;
  bindUser = (): number => 0;
  bindControl = (): void => undefined;
  setFilter = (): void => undefined;
  isDevUp = (): boolean => this.up;

  /** @throws what the transport throws when it is opened first. */
  start(): void {
    if (this.running) return;
    this.running = true;
    try {
      this.transport.open();
    } catch (error) {
      this.running = false;
      throw error;
    }
  }

  stop(): void {
    this.running = false;
    this.up = false;
    this.flow.reset();
    clearTimeout(this.timer);
    this.transport.close();
  }

  /** What is meant for the controller as it was goes nowhere while it is down. */
  write(packet: Buffer): void {
    if (this.up) this.flow.send(packet);
  }

  private reopen(): void {
    try {
      this.transport.open();
    } catch (error) {
      this.after(RETRY_MS, () => this.reopen());
      const reason = String(error);
      if (!this.refusals.has(reason)) this.emit('refused', error);
      this.refusals.add(reason);
    }
  }

  private after(ms: number, task: () => void): void {
    clearTimeout(this.timer);
    if (this.running) this.timer = setTimeout(task, ms);
  }

  /** Asks until the controller answers. */
  private reset(): void {
    this.flow.reset();
    this.links.reset();
    this.transport.write(encodeCommand('reset', {}));
    this.after(this.transport.resetLimit, () => this.reset());
  }

  private receive(packet: Buffer): void {
    if (packet[0] === PacketType.event) {
      if (packet[1] === EventCode.hardwareError || this.links.contradicts(packet)) {
        this.resetLost();
        return;
      }
      if (!this.up) {
        if (completionOf(packet, 'reset')?.[0] === Status.success) this.goUp();
        return;
      }
    }
    if (!this.up) return;
    if (packet[0] === PacketType.event) this.flow.heard(packet);
    const answer = answerParameterRequest(packet);
    if (answer === undefined) this.emit('data', packet);
    else answer.forEach((reply) => this.write(reply));
  }

  /** The controller has lost its state, or its mind: whatever was on it has ended. */
  private resetLost(): void {
    this.goDown();
    this.after(RETRY_MS, () => this.reset());
  }

  private goUp(): void {
    clearTimeout(this.timer);
    this.refusals.clear();
    this.up = true;
    this.emit('up');
  }

  private goDown(): void {
    if (!this.up) return;
    this.up = false;
    this.flow.reset();
    this.emit('down');
  }
}
