/**
 * An adapter of this machine as a virtual device uses it, beside the kernel: its address is known before anything is
 * built on it, it says itself when it comes and goes, what it hears is what the kernel asked for, legacy advertising
 * works whatever the kernel uses, and it is silent again once it is released.
 */
import { EventEmitter } from 'node:events';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { openingAdvice, permissionAdvice } from './advice.js';
import { commandSpecs } from './commands.js';
import { ADVERTISING_SET, asExtended, asLegacy, asPlainConnection } from './extended-advertising.js';
import { address } from './layout.js';
import { EventCode, LeSubevent, PacketType, encodeCommand, events } from './packets.js';
import type { HciSocket } from './socket.js';
import { describeHciSpec } from './spec.js';
import { openNativeSocket } from './stand-in.js';
import { Status, describeStatus } from './status.js';

/** Hears every packet; a tracer. */
export interface PacketListener {
  readonly fromHost: (packet: Buffer) => void;
  readonly toHost: (packet: Buffer) => void;
}

/** How often the kernel is asked whether the adapter is up, and how long the adapter may take to answer, ms. */
const POLL_MS = 1000;
const ANSWER_MS = 5000;

const OTHERWISE = 'leave out --adapter and --device for a virtual radio';

/** Lets Command Complete through, whatever the command (Linux' `struct hci_filter`). */
const answersOnly = (): Buffer => {
  const filter = Buffer.alloc(16);
  filter.writeUInt32LE(1 << PacketType.event, 0);
  filter.writeUInt32LE(1 << EventCode.commandComplete, 4);
  return filter;
};

/** What is found out of an adapter before it is used. */
interface Identity {
  /** Such as `hci0`. */
  readonly name: string;
  readonly device: number;
  readonly address: string;
  /** It has extended advertising, and the kernel uses it. */
  readonly extended: boolean;
}

/** The role of whoever was connected (Core 5.4 Vol 4 Part E 7.7.65.1). */
const PERIPHERAL = 1;

/** The kernel has set them, and would miss what a virtual device leaves out (Core 5.4 Vol 4 Part E 7.3.1, 7.8.1). */
const MASKS: readonly number[] = [commandSpecs.setEventMask.opcode, commandSpecs.leSetEventMask.opcode];

const ADVERTISING: readonly number[] = [
  commandSpecs.leSetAdvertisingParameters.opcode,
  commandSpecs.leSetAdvertisingData.opcode,
  commandSpecs.leSetScanResponseData.opcode,
  commandSpecs.leSetAdvertisingEnable.opcode,
];

export class AdapterSocket extends EventEmitter implements HciSocket {
  private readonly poll: NodeJS.Timeout;
  private wasUp = true;
  private answered: (advertises: E.Either<string, void>) => void = () => undefined;
  /** The adapter's first answer to the wish to advertise. Left: a sentence that says why it does not. */
  readonly advertises = new Promise<E.Either<string, void>>((resolve) => (this.answered = resolve));
  /** Whether it was last told to advertise. */
  private wanted = false;
  /** The device's link. */
  private link: number | undefined;
  readonly name: string;
  readonly address: string;

  constructor(
    private readonly native: HciSocket,
    private readonly identity: Identity,
    private readonly listener: PacketListener,
  ) {
    super();
    this.name = identity.name;
    this.address = identity.address;
    native.on('data', (packet: Buffer) => this.hear(packet));
    native.on('error', (error: Error) => this.emit('error', error));
    this.poll = setInterval(() => this.ask(), POLL_MS);
  }

  // It is bound and started already.
  bindRaw = (): number => this.identity.device;
  bindUser = (): number => this.identity.device;
  bindControl = (): void => undefined;
  start = (): void => undefined;
  setFilter = (filter: Buffer): void => this.native.setFilter(filter);
  isDevUp = (): boolean => this.native.isDevUp();

  write(packet: Buffer): void {
    if (packet[0] === PacketType.command) {
      const opcode = packet.readUInt16LE(1);
      if (MASKS.includes(opcode)) return;
      if (opcode === commandSpecs.leSetAdvertisingEnable.opcode) this.wanted = packet[4] === 1;
    }
    this.send(this.identity.extended ? asExtended(packet) : packet);
  }

  /** Ends link and advertising, which would else outlive this program, and lets the adapter go. */
  stop(): void {
    clearInterval(this.poll);
    // An adapter that goes at this moment is nobody's concern any more.
    this.on('error', () => undefined);
    if (this.isDevUp()) {
      this.write(encodeCommand('leSetAdvertisingEnable', { enable: 0 }));
      if (this.identity.extended) {
        this.send(encodeCommand('leRemoveAdvertisingSet', { set: ADVERTISING_SET }));
      }
      if (this.link !== undefined) {
        this.write(encodeCommand('disconnect', { handle: this.link, reason: Status.remoteUserTerminated }));
      }
    }
    this.native.removeAllListeners();
    this.native.on('error', () => undefined);
    this.native.stop();
  }

  private send(packet: Buffer): void {
    this.listener.fromHost(packet);
    this.native.write(packet);
  }

  private hear(heard: Buffer): void {
    this.listener.toHost(heard);
    const packet = asPlainConnection(this.identity.extended ? asLegacy(heard) : heard);
    if (packet[0] === PacketType.event) this.follow(packet.readUInt8(1), packet.subarray(3));
    this.emit('data', packet);
  }

  private follow(code: number, body: Buffer): void {
    if (code === EventCode.commandComplete) this.completed(body.readUInt16LE(1), body[3] ?? 0);
    if (code === EventCode.disconnectionComplete && body.readUInt16LE(1) === this.link) this.link = undefined;
    if (code !== EventCode.leMeta || body[0] !== LeSubevent.connectionComplete) return;
    const { status, handle, role } = events.connectionComplete.read(body.subarray(1));
    if (status === Status.success && role === PERIPHERAL) this.link = handle;
  }

  private completed(opcode: number, status: number): void {
    if (!ADVERTISING.includes(opcode)) return;
    const enabling = opcode === commandSpecs.leSetAdvertisingEnable.opcode;
    // A set that is not there, or not yet, need not be stopped.
    if (enabling && !this.wanted) return;
    if (status !== Status.success) {
      this.answered(
        E.left(`${this.name} does not advertise, ${describeStatus(status)}: ${this.advice(status)}`),
      );
    } else if (enabling) {
      this.answered(E.right(undefined));
      // Told to before the link was heard of: a second central would take the first one's place.
      if (this.link !== undefined) this.write(encodeCommand('leSetAdvertisingEnable', { enable: 0 }));
    }
  }

  private advice(status: number): string {
    const { name, extended } = this.identity;
    return status === Status.commandDisallowed && !extended
      ? 'Linux uses extended commands on it, and of those for advertising it has none; use another adapter'
      : `end what else uses it, see \`airbench doctor\`, then run \`sudo hciconfig ${name} down up\``;
  }

  private ask(): void {
    const up = this.isDevUp();
    if (up === this.wasUp) return;
    this.wasUp = up;
    if (!up) this.link = undefined;
    this.emit(up ? 'up' : 'down');
  }
}

/** What an adapter returns to a command without parameters, after the status. Left: a sentence. */
const inquire = (
  native: HciSocket,
  name: string,
  command: 'readBdAddr' | 'leReadLocalSupportedFeatures',
): Promise<E.Either<string, Buffer>> =>
  new Promise((resolve) => {
    const done = (result: E.Either<string, Buffer>): void => {
      clearTimeout(limit);
      native.removeAllListeners();
      resolve(result);
    };
    const limit = setTimeout(() => done(E.left(`${name} does not answer: plug it in anew`)), ANSWER_MS);
    native.on('error', (error: Error & { code?: string }) =>
      done(E.left(error.code === 'EPERM' ? permissionAdvice(name) : `${name} fails: ${error.message}`)),
    );
    native.on('data', (packet: Buffer) => {
      if (packet[1] !== EventCode.commandComplete) return;
      if (packet.readUInt16LE(4) === commandSpecs[command].opcode) done(E.right(packet.subarray(7)));
    });
    native.write(encodeCommand(command, {}));
  });

/** By the bit by which Linux asks (Core 5.4 Vol 6 Part B 4.6, LE Extended Advertising). */
const hasExtendedAdvertising = (features: Buffer): boolean => ((features[1] ?? 0) & 0x10) !== 0;

/** Opens adapter `device`, undefined for the first that is up. Left: what is missing and what to do, in a sentence. */
export const openAdapter =
  (device: number | undefined, listener: PacketListener): TaskEither<string, AdapterSocket> =>
  async () => {
    const wanted = describeHciSpec({ kind: 'native', device });
    let native: HciSocket;
    let bound: number;
    try {
      native = openNativeSocket();
      bound = native.bindRaw(device);
    } catch (error) {
      return E.left(openingAdvice(error, wanted, OTHERWISE));
    }
    const name = `hci${bound}`;
    const refuse = (why: string): E.Either<string, never> => {
      native.stop();
      return E.left(why);
    };
    if (!native.isDevUp()) {
      return refuse(`${wanted} is down: run \`sudo hciconfig ${name} up\`, or see \`airbench doctor\``);
    }
    native.setFilter(answersOnly());
    native.start();
    const own = await inquire(native, name, 'readBdAddr');
    if (E.isLeft(own)) return refuse(own.left);
    const features = await inquire(native, name, 'leReadLocalSupportedFeatures');
    if (E.isLeft(features)) return refuse(features.left);
    const identity = {
      ...{ name, device: bound, address: address.read(own.right, 0) },
      extended: hasExtendedAdvertising(features.right),
    };
    return E.right(new AdapterSocket(native, identity, listener));
  };
