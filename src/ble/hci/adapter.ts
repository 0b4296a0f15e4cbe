/**
 * An adapter of this machine as a virtual device uses it: its address is known before anything is built on it, it says
 * itself when it comes and goes, and it is silent again once it is released.
 */
import { EventEmitter } from 'node:events';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { openingAdvice, permissionAdvice } from './advice.js';
import { commandSpecs } from './commands.js';
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

/** How often the kernel is asked whether the adapter is up, and how long the adapter may take to tell its address, ms. */
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

export class AdapterSocket extends EventEmitter implements HciSocket {
  private readonly poll: NodeJS.Timeout;
  private wasUp = true;
  private answered: (advertises: E.Either<string, void>) => void = () => undefined;
  /** The adapter's first answer to the wish to advertise. Left: a sentence that says why it does not. */
  readonly advertises = new Promise<E.Either<string, void>>((resolve) => (this.answered = resolve));
  /** The device's link. */
  private link: number | undefined;

  constructor(
    private readonly native: HciSocket,
    private readonly device: number,
    readonly name: string,
    readonly address: string,
    private readonly listener: PacketListener,
  ) {
    super();
    native.on('data', (packet: Buffer) => this.hear(packet));
    native.on('error', (error: Error) => this.emit('error', error));
    this.poll = setInterval(() => this.ask(), POLL_MS);
  }

  // It is bound and started already.
  bindRaw = (): number => this.device;
  bindUser = (): number => this.device;
  bindControl = (): void => undefined;
  start = (): void => undefined;
  setFilter = (filter: Buffer): void => this.native.setFilter(filter);
  isDevUp = (): boolean => this.native.isDevUp();

  write(packet: Buffer): void {
    this.listener.fromHost(packet);
    this.native.write(packet);
  }

  /** Ends link and advertising, which would else outlive this program, and lets the adapter go. */
  stop(): void {
    clearInterval(this.poll);
    // An adapter that goes at this moment is nobody's concern any more.
    this.on('error', () => undefined);
    if (this.isDevUp()) {
      this.write(encodeCommand('leSetAdvertisingEnable', { enable: 0 }));
      if (this.link !== undefined) {
        this.write(encodeCommand('disconnect', { handle: this.link, reason: Status.remoteUserTerminated }));
      }
    }
    this.native.removeAllListeners();
    this.native.on('error', () => undefined);
    this.native.stop();
  }

  private hear(packet: Buffer): void {
    this.listener.toHost(packet);
    if (packet[0] === PacketType.event) this.follow(packet.readUInt8(1), packet.subarray(3));
    this.emit('data', packet);
  }

  private follow(code: number, body: Buffer): void {
    if (code === EventCode.commandComplete) this.completed(body.readUInt16LE(1), body[3] ?? 0);
    if (code === EventCode.disconnectionComplete) this.link = undefined;
    if (code !== EventCode.leMeta || body[0] !== LeSubevent.connectionComplete) return;
    const { status, handle } = events.connectionComplete.read(body.subarray(1));
    if (status === Status.success) this.link = handle;
  }

  private completed(opcode: number, status: number): void {
    if (opcode !== commandSpecs.leSetAdvertisingEnable.opcode) return;
    this.answered(
      status === Status.success
        ? E.right(undefined)
        : E.left(
            `${this.name} does not advertise, ${describeStatus(status)}: an adapter with extended advertising ` +
              'refuses the legacy commands of bleno once the kernel has used extended ones; use a Bluetooth 4 adapter',
          ),
    );
  }

  private ask(): void {
    const up = this.isDevUp();
    if (up === this.wasUp) return;
    this.wasUp = up;
    if (!up) this.link = undefined;
    this.emit(up ? 'up' : 'down');
  }
}

/** Asks the adapter for its address. Left: a sentence. */
const readAddress = (native: HciSocket, name: string): Promise<E.Either<string, string>> =>
  new Promise((resolve) => {
    const done = (result: E.Either<string, string>): void => {
      clearTimeout(limit);
      native.removeAllListeners();
      resolve(result);
    };
    const limit = setTimeout(() => done(E.left(`${name} does not answer: plug it in anew`)), ANSWER_MS);
    const { opcode, returns } = commandSpecs.readBdAddr;
    native.on('error', (error: Error & { code?: string }) =>
      done(E.left(error.code === 'EPERM' ? permissionAdvice(name) : `${name} fails: ${error.message}`)),
    );
    native.on('data', (packet: Buffer) => {
      if (packet[1] !== EventCode.commandComplete || packet.readUInt16LE(4) !== opcode) return;
      done(E.right(returns?.read(packet.subarray(7)).address ?? ''));
    });
    native.setFilter(answersOnly());
    native.start();
    native.write(encodeCommand('readBdAddr', {}));
  });

/** Opens adapter `device`, undefined for the first that is up. Left: what is missing and what to do, in a sentence. */
export const openAdapter =
  (device: number | undefined, listener: PacketListener): TaskEither<string, AdapterSocket> =>
  async () => {
    const name = describeHciSpec({ kind: 'native', device });
    let native: HciSocket;
    let bound: number;
    try {
      native = openNativeSocket();
      bound = native.bindRaw(device);
    } catch (error) {
      return E.left(openingAdvice(error, name, OTHERWISE));
    }
    if (!native.isDevUp()) {
      native.stop();
      return E.left(`${name} is down: run \`sudo hciconfig hci${bound} up\`, or see \`airbench doctor\``);
    }
    const address = await readAddress(native, name);
    if (E.isLeft(address)) {
      native.stop();
      return address;
    }
    return E.right(new AdapterSocket(native, bound, `hci${bound}`, address.right, listener));
  };
