/**
 * The host side of a controller without a kernel driver. It takes over the tasks that noble leaves to Linux: it resets the
 * controller before use, detects when the controller is gone or back, has lost its state or no longer answers, applies flow
 * control, and answers L2CAP connection parameter requests.
 */
import { EventEmitter } from 'node:events';
import { FlowControl } from './flow-control.js';
import { unlessShort } from '../../bytes/index.js';
import { commandSpecs } from './commands.js';
import { answerParameterRequest } from './l2cap-signaling.js';
import { LinkLog } from './link-log.js';
import { EventCode, PacketType, completionOf, encodeCommand, events } from './packets.js';
import type { HciSocket } from './socket.js';
import { Status } from './status.js';
import type { Cancel, TimeSource } from '../../async/time.js';

const DISCONNECT = commandSpecs.disconnect.opcode;

/** The delay before a lost transport is opened again, milliseconds. */
const RETRY_MS = 200;

/**
 * Carries packets to a controller and back.
 *
 * Events: `open`; `packet` (packet: Buffer), its H4 type byte first; `error` (Error); `close` when the
 * connection is lost, after which it may be opened again.
 */
export interface HciTransport extends EventEmitter {
  /** The time for an answer to Reset before Reset is sent again, milliseconds. */
  readonly resetLimit: number;
  /** @throws an immediate error. */
  open(): void;
  write(packet: Buffer): void;
  /** Releases the controller; there is no `close` event. */
  close(): void;
}

/**
 * Also emits `opened` when the transport is open, `refused` (error) when a lost one cannot be opened again, once until the reason changes
 * or it is open, and, with `up` and `down`, `state`, after which the noble and bleno of @stoprocent ask `isDevUp` at once.
 */
export class HostSocket extends EventEmitter implements HciSocket {
  /** Why the transport was last not opened again, so that a listener that logs each refusal gets it once. */
  private refusal: string | undefined;
  private cancelTimer: Cancel | undefined;
  private running = false;
  private up: boolean | null = null;
  /** Packets for a controller that has not been up yet; undefined: they are dropped. */
  private early: Buffer[] | undefined = [];
  protected isControl = false;
  protected readonly links = new LinkLog((link) => link);
  /** The handle of the last Disconnect. */
  private disconnecting: number | undefined;
  private readonly flow: FlowControl;

  constructor(
    private readonly transport: HciTransport,
    protected readonly time: TimeSource,
  ) {
    super();
    const send = (packet: Buffer): void => {
      const isCommand = packet[0] === PacketType.command && packet.length >= 6;
      if (isCommand && packet.readUInt16LE(1) === DISCONNECT)
        this.disconnecting = packet.readUInt16LE(4) & 0x0fff;
      transport.write(packet);
    };
    this.flow = new FlowControl(send, () => this.resetLost(), time);
    transport.on('open', () => {
      this.refusal = undefined;
      this.emit('opened');
      this.reset();
    });
    transport.on('packet', (packet: Buffer) => this.receive(packet));
    transport.on('error', (error: Error) => this.emit('error', error));
    transport.on('close', () => {
      this.goDown();
      this.after(RETRY_MS, () => this.reopen());
    });
  }

  // The transport determines the controller.
  bindRaw = (): number => 0;
  bindUser = (): number => 0;
  setFilter = (): void => undefined;
  isDevUp = (): boolean | null => this.up;

  /** The management channel of Linux leads to no controller: nothing is sent. */
  bindControl(): void {
    this.isControl = true;
    this.early = undefined;
  }

  /** @throws the error of the first opening of the transport. */
  start(): void {
    if (this.running || this.isControl) return;
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
    this.early = undefined;
    this.flow.reset();
    this.cancelTimer?.();
    this.transport.close();
  }

  /** Packets to a controller that is down again are dropped: they are meant for its earlier state. */
  write(packet: Buffer): void {
    if (this.up === true) this.flow.send(packet);
    else this.early?.push(packet);
  }

  private reopen(): void {
    try {
      this.transport.open();
    } catch (error) {
      this.after(RETRY_MS, () => this.reopen());
      const reason = String(error);
      if (reason !== this.refusal) this.emit('refused', error);
      this.refusal = reason;
    }
  }

  private after(ms: number, task: () => void): void {
    this.cancelTimer?.();
    if (this.running) this.cancelTimer = this.time.after(ms, task);
  }

  /** Sends Reset until the controller answers. */
  private reset(): void {
    this.flow.reset();
    this.links.clear();
    this.disconnecting = undefined;
    this.transport.write(encodeCommand('reset', {}));
    this.after(this.transport.resetLimit, () => this.reset());
  }

  private receive(packet: Buffer): void {
    if (packet[0] === PacketType.event) {
      if (packet[1] === EventCode.hardwareError || this.deniesLink(packet)) {
        this.resetLost();
        return;
      }
      if (this.up !== true) {
        if (completionOf(packet, 'reset')?.[0] === Status.success) this.goUp();
        return;
      }
    }
    if (this.up !== true) return;
    if (packet[0] === PacketType.event) this.flow.receive(packet);
    const answer = answerParameterRequest(packet);
    if (answer === undefined) this.emit('data', packet);
    else answer.forEach((reply) => this.write(reply));
  }

  /**
   * Takes an event; true if the controller denies a link whose end it has not reported. A controller reports the end of
   * each link (Core 5.4 Vol 4 Part E 7.7.5), so another program has reset it, and the host must set it up again.
   */
  private deniesLink(event: Buffer): boolean {
    let denies = false;
    unlessShort(() => {
      this.links.take(event.subarray(1));
      if (event[1] !== EventCode.commandStatus || this.disconnecting === undefined) return;
      const { status, opcode } = events.commandStatus.read(event.subarray(3));
      const isDenial = opcode === DISCONNECT && status === Status.unknownConnection;
      denies = isDenial && this.links.get(this.disconnecting) !== undefined;
    });
    return denies;
  }

  /** The controller has lost its state or does not answer: all links have ended. */
  private resetLost(): void {
    this.goDown();
    this.after(RETRY_MS, () => this.reset());
  }

  private goUp(): void {
    this.cancelTimer?.();
    this.up = true;
    const early = this.early ?? [];
    this.early = undefined;
    early.forEach((packet) => this.write(packet));
    this.emit('up');
    this.emit('state');
  }

  private goDown(): void {
    if (this.up !== true) return;
    this.up = false;
    this.flow.reset();
    this.emit('down');
    this.emit('state');
  }
}
