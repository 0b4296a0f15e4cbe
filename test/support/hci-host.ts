import {
  commandSpecs,
  type CommandName,
  type CommandParameters,
  type CommandReturns,
} from '../../src/ble/hci/commands.js';
import {
  EventCode,
  LeSubevent,
  PacketType,
  encodeAcl,
  encodeCommand,
  events,
} from '../../src/ble/hci/packets.js';
import type { Air, ControllerOptions } from '../../simulators/radio/index.js';

/** Bytes as a specification prints them: `01 03 0C 00`. */
export const bytes = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

/** The text of bytes, for readable messages. */
export const text = (packet: Buffer): string => packet.toString('hex').replaceAll(/(..)(?=.)/g, '$1 ');

/** Runs everything that waits on the event loop, except timers. */
export const otherTurns = async (turns = 12): Promise<void> => {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
};

export type Match = (packet: Buffer) => boolean;

export const isEvent =
  (code: number): Match =>
  (packet) =>
    packet[0] === PacketType.event && packet[1] === code;

export const isLeEvent =
  (subevent: number): Match =>
  (packet) =>
    isEvent(EventCode.leMeta)(packet) && packet[3] === subevent;

export const isAcl: Match = (packet) => packet[0] === PacketType.acl;

const answers =
  (opcode: number): Match =>
  (packet) =>
    (isEvent(EventCode.commandComplete)(packet) && packet.readUInt16LE(4) === opcode) ||
    (isEvent(EventCode.commandStatus)(packet) && packet.readUInt16LE(5) === opcode);

/**
 * All events and LE events, without Enhanced Connection Complete (bit 9), which replaces Connection Complete, and Channel
 * Selection Algorithm (bit 19), which comes with every link.
 */
const EVERY_EVENT = bytes('FF FF FF FF FF FF FF FF');
const LE_EVENTS = bytes('FF FD F7 FF FF FF FF FF');

/** A Bluetooth host of bare packets: it keeps every packet of the controller until a test takes it. */
export class HciHost {
  readonly received: Buffer[] = [];
  powered = true;
  private waiting: { match: Match; take: (packet: Buffer) => void }[] = [];

  constructor(private readonly out: (packet: Buffer) => void) {}

  /** A host on its own controller in `air`. */
  static on(air: Air, options: ControllerOptions) {
    const host: HciHost = new HciHost((packet) => controller.receive(packet));
    const controller = air.add(options, {
      receive: (packet) => host.receive(packet),
      power: (on) => {
        host.powered = on;
      },
    });
    return Object.assign(host, { controller, address: options.address });
  }

  receive(packet: Buffer): void {
    const index = this.waiting.findIndex(({ match }) => match(packet));
    const [waiter] = index < 0 ? [] : this.waiting.splice(index, 1);
    if (waiter === undefined) this.received.push(packet);
    else waiter.take(packet);
  }

  send(packet: Buffer): void {
    this.out(packet);
  }

  /** Takes the first packet that matches, kept or future. */
  next(match: Match): Promise<Buffer> {
    const index = this.received.findIndex(match);
    const [packet] = index < 0 ? [] : this.received.splice(index, 1);
    if (packet !== undefined) return Promise.resolve(packet);
    return new Promise((take) => this.waiting.push({ match, take }));
  }

  /** Takes all kept packets that match. */
  take(match: Match = () => true): readonly Buffer[] {
    const taken = this.received.filter(match);
    this.received.splice(0, Infinity, ...this.received.filter((packet) => !match(packet)));
    return taken;
  }

  /** Sends a command, and returns the event that answers it. */
  answer(command: Buffer): Promise<Buffer> {
    this.send(command);
    return this.next(answers(command.readUInt16LE(1)));
  }

  async status<N extends CommandName>(name: N, parameters: CommandParameters<N>): Promise<number> {
    const answer = await this.answer(encodeCommand(name, parameters));
    return answer.readUInt8(isEvent(EventCode.commandStatus)(answer) ? 3 : 6);
  }

  async returned<N extends CommandName>(
    name: N,
    parameters: CommandParameters<N>,
  ): Promise<CommandReturns<N> | undefined> {
    const answer = await this.answer(encodeCommand(name, parameters));
    return commandSpecs[name].returns?.read(answer.subarray(7));
  }

  /** Resets the controller and enables the events of the masks above. */
  async begin(): Promise<void> {
    await this.status('reset', {});
    await this.status('setEventMask', { mask: EVERY_EVENT });
    await this.status('leSetEventMask', { mask: LE_EVENTS });
  }

  /** Sends one data packet on a link. */
  acl(handle: number, boundary: number, data: Buffer): void {
    this.send(encodeAcl(handle, boundary, data));
  }

  async connected() {
    const event = await this.next(isLeEvent(LeSubevent.connectionComplete));
    return events.connectionComplete.read(event.subarray(4));
  }

  async disconnected() {
    const event = await this.next(isEvent(EventCode.disconnectionComplete));
    return events.disconnectionComplete.read(event.subarray(3));
  }

  /** Takes all kept data packets: handle, boundary flag, bytes. */
  takeAcl(): readonly { handle: number; boundary: number; data: Buffer }[] {
    return this.take(isAcl).map((packet) => ({
      handle: packet.readUInt16LE(1) & 0x0fff,
      boundary: packet.readUInt16LE(1) >> 12,
      data: packet.subarray(5),
    }));
  }
}

export type AirHost = ReturnType<typeof HciHost.on>;
