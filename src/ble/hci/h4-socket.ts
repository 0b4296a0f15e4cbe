/**
 * A host's side of an H4 stream (TCP or Unix socket), in the place of the kernel: it resets the controller before
 * the host may use it, notices when the controller is gone or back, sends no more than the controller has room for, and
 * answers L2CAP connection parameter requests, which noble leaves to Linux.
 */
import { EventEmitter } from 'node:events';
import { connect, type Socket } from 'node:net';
import { commandName } from './commands.js';
import { FlowControl } from './flow-control.js';
import { h4Reader } from './h4.js';
import { answerParameterRequest } from './l2cap-signaling.js';
import { EventCode, PacketType, encodeCommand } from './packets.js';
import type { HciSocket } from './socket.js';
import type { HciSpec } from './spec.js';
import { Status } from './status.js';

/** How soon a broken stream is opened again, and a silent controller asked again, milliseconds. */
const RETRY_MS = 200;

export class H4Socket extends EventEmitter implements HciSocket {
  private stream: Socket | undefined;
  private retry: NodeJS.Timeout | undefined;
  private running = false;
  private up = false;
  private readonly flow = new FlowControl((packet) => this.stream?.write(packet));

  constructor(private readonly spec: Exclude<HciSpec, { kind: 'native' }>) {
    super();
  }

  bindRaw = (): number => 0;
  bindUser = (): number => 0;
  bindControl = (): void => undefined;
  setFilter = (): void => undefined;
  isDevUp = (): boolean => this.up;

  start(): void {
    if (this.running) return;
    this.running = true;
    this.open();
  }

  stop(): void {
    this.running = false;
    this.up = false;
    this.flow.reset();
    clearTimeout(this.retry);
    this.stream?.destroy();
    this.stream = undefined;
  }

  write(packet: Buffer): void {
    this.flow.send(packet);
  }

  private open(): void {
    const { spec } = this;
    const stream =
      spec.kind === 'tcp'
        ? connect({ host: spec.host, port: spec.port, noDelay: true })
        : connect({ path: spec.path });
    this.stream = stream;
    const read = h4Reader(
      (packet) => this.receive(packet),
      (reason) => stream.destroy(new Error(reason)),
    );
    stream.on('connect', () => this.reset());
    stream.on('data', read);
    stream.on('error', (error) => this.emit('error', error));
    stream.on('close', () => {
      if (this.stream !== stream) return;
      this.goDown();
      this.again(() => this.open());
    });
  }

  private again(task: () => void): void {
    clearTimeout(this.retry);
    if (this.running) this.retry = setTimeout(task, RETRY_MS);
  }

  /** Asks until the controller answers. */
  private reset(): void {
    this.flow.reset();
    this.stream?.write(encodeCommand('reset', {}));
    this.again(() => this.reset());
  }

  private receive(packet: Buffer): void {
    if (packet[0] === PacketType.event) {
      if (packet[1] === EventCode.hardwareError) {
        this.goDown();
        this.again(() => this.reset());
        return;
      }
      if (!this.up) {
        if (isResetComplete(packet)) this.goUp();
        return;
      }
    }
    if (!this.up) return;
    if (packet[0] === PacketType.event) this.flow.heard(packet);
    const answer = answerParameterRequest(packet);
    if (answer === undefined) this.emit('data', packet);
    else answer.forEach((reply) => this.write(reply));
  }

  private goUp(): void {
    clearTimeout(this.retry);
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

const isResetComplete = (packet: Buffer): boolean =>
  packet[1] === EventCode.commandComplete &&
  packet.length >= 7 &&
  commandName(packet.readUInt16LE(4)) === 'reset' &&
  packet[6] === Status.success;
