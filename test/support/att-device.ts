/** A device that only answers ATT requests; a test may replace or remove any answer. */
import { Boundary } from '../../src/ble/hci/packets.js';
import type { Air } from '../../simulators/radio/index.js';
import { DEVICE, type Rig } from './bluetooth-fixture.js';
import { HciHost, bytes, isAcl, type AirHost } from './hci-host.js';
import { advertise } from './hci-scenes.js';

/** Opcodes of requests (Core 5.4 Vol 3 Part F 3.4). */
export const Att = {
  error: 0x01,
  mtuRequest: 0x02,
  readByType: 0x08,
  read: 0x0a,
  readByGroup: 0x10,
  write: 0x12,
  notification: 0x1b,
  writeCommand: 0x52,
} as const;

/** The answer to a request; undefined for silence. */
export type Answer = (request: Buffer) => Buffer | undefined;

export const refusal =
  (code: number): Answer =>
  (request) =>
    Buffer.from([Att.error, request.readUInt8(0), request[1] ?? 0, request[2] ?? 0, code]);

const ATTRIBUTE_NOT_FOUND = 0x0a;
const notFound = refusal(ATTRIBUTE_NOT_FOUND);

/** Handles 1 to 4: service FF00, characteristic FF01 (read, write, notify), its value, its configuration. */
export const VALUE_HANDLE = 3;
const defaultAnswers: Readonly<Record<number, Answer>> = {
  [Att.mtuRequest]: () => bytes('03 17 00'),
  [Att.readByGroup]: (request) =>
    request.readUInt16LE(1) > 1 ? notFound(request) : bytes('11 06 01 00 04 00 00 FF'),
  [Att.readByType]: (request) => {
    if (request.readUInt16LE(5) === 0x2902) return bytes('09 04 04 00 00 00');
    return request.readUInt16LE(1) > 2 ? notFound(request) : bytes('09 07 02 00 1A 03 00 01 FF');
  },
  [Att.read]: () => bytes('0B 2A'),
  [Att.write]: () => bytes('13'),
};

const ATT_CHANNEL = 0x0004;

export class AttDevice {
  /** Answers in place of the defaults, by opcode. */
  answers: Readonly<Record<number, Answer>> = {};
  readonly requests: Buffer[] = [];
  private handle = 0;
  private waiting: { opcode: number; resolve: (request: Buffer) => void }[] = [];

  private constructor(readonly host: AirHost) {}

  /** A device on the air, advertising. */
  static async on(air: Air, address: string): Promise<AttDevice> {
    const host = HciHost.on(air, { address, maxLinks: 1 });
    const device = new AttDevice(host);
    await host.begin();
    await advertise(host);
    void device.serve();
    return device;
  }

  /** The next request of an opcode, before it is answered. */
  request(opcode: number): Promise<Buffer> {
    return new Promise((resolve) => this.waiting.push({ opcode, resolve }));
  }

  /** Waits for a link. */
  async connected(): Promise<void> {
    this.handle = (await this.host.connected()).handle;
  }

  /** Sends a PDU in packets of at most `maxBytes` bytes. */
  send(pdu: Buffer, maxBytes = Infinity): void {
    const frame = Buffer.concat([Buffer.from([pdu.length, 0, ATT_CHANNEL, 0]), pdu]);
    for (let at = 0; at < frame.length; at += maxBytes) {
      const boundary = at === 0 ? Boundary.firstFromHost : Boundary.continuing;
      this.host.acl(this.handle, boundary, frame.subarray(at, at + maxBytes));
    }
  }

  notify(value: Buffer, maxBytes?: number): void {
    this.send(Buffer.concat([Buffer.from([Att.notification, VALUE_HANDLE, 0]), value]), maxBytes);
  }

  /** Ends the link; the other side receives `reason`. */
  disconnect(reason = 0x13): Promise<number> {
    return this.host.status('disconnect', { handle: this.handle, reason });
  }

  advertiseAgain(): Promise<number> {
    return this.host.status('leSetAdvertisingEnable', { enable: 1 });
  }

  private async serve(): Promise<void> {
    for (;;) {
      const packet = await this.host.next(isAcl);
      this.handle = packet.readUInt16LE(1) & 0x0fff;
      const request = packet.subarray(9);
      const opcode = request.readUInt8(0);
      this.requests.push(request);
      const answer = (this.answers[opcode] ?? defaultAnswers[opcode])?.(request);
      if (answer !== undefined) this.send(answer);
      const waiters = this.waiting.filter((waiter) => waiter.opcode === opcode);
      this.waiting = this.waiting.filter((waiter) => waiter.opcode !== opcode);
      for (const { resolve } of waiters) resolve(request);
    }
  }
}

/** A connection attempt whose discovery the device does not answer. */
export const discovering = async (rig: Rig, signal?: AbortSignal) => {
  const device = await AttDevice.on(rig.air, DEVICE);
  device.answers = { [Att.readByGroup]: () => undefined };
  await rig.heard();
  const requested = device.request(Att.readByGroup);
  const connecting = rig.connect(DEVICE, signal);
  await requested;
  return { device, connecting };
};

/** Begins operations, and waits for a request of `opcode`, which the device does not answer. */
export const unanswered = async <A>(device: AttDevice, opcode: number, begin: () => readonly A[]) => {
  device.answers = { [opcode]: () => undefined };
  const requested = device.request(opcode);
  const operations = begin();
  await requested;
  device.answers = {};
  return operations;
};

/** A device with a link to it. */
export const attLink = async (rig: Rig) => {
  const device = await AttDevice.on(rig.air, DEVICE);
  return { device, link: await rig.link() };
};
