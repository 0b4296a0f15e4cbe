/**
 * An adapter of this machine for one virtual device: its address is known before the device is made, it accepts one
 * central at a time, and it neither advertises nor has a link when the kernel gets it back.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { listAdapters, type ListedAdapter } from '../../src/ble/hci/adapters.js';
import { noAdapterAdvice, openingAdvice, upAdvice, userChannelAdvice } from '../../src/ble/hci/advice.js';
import { commandSpecs, type CommandName } from '../../src/ble/hci/commands.js';
import { HostSocket } from '../../src/ble/hci/host-socket.js';
import { address } from '../../src/bytes/index.js';
import { PacketType, completionOf, encodeCommand } from '../../src/ble/hci/packets.js';
import { Status, describeStatus } from '../../src/ble/hci/status.js';
import type { TimeSource } from '../../src/async/time.js';
import { wait } from '../../src/async/wait.js';
import { UserChannel } from '../../src/ble/hci/user-channel.js';

/** Receives every packet, for a trace. */
export interface PacketListener {
  readonly fromHost: (packet: Buffer) => void;
  readonly toHost: (packet: Buffer) => void;
}

/** The limit of each answer of the adapter, milliseconds. */
const ANSWER_MS = 5000;

const IF_UP = 'name an adapter that is down';
const OTHERWISE = 'leave out --adapter and --device for a virtual radio';
const IF_UNABLE = 'plug it in again, or use another one, with Bluetooth 4.0 or later';

const ADVERTISING: readonly CommandName[] = [
  'leSetAdvertisingParameters',
  'leSetAdvertisingData',
  'leSetScanResponseData',
  'leSetAdvertisingEnable',
];

const ENABLE = commandSpecs.leSetAdvertisingEnable.opcode;

class TracedChannel extends UserChannel {
  listener: PacketListener | undefined;

  constructor(device: number, time: TimeSource) {
    super(device, time);
    this.on('packet', (packet: Buffer) => this.listener?.toHost(packet));
  }

  override write(packet: Buffer): void {
    this.listener?.fromHost(packet);
    super.write(packet);
  }
}

export class AdapterSocket extends HostSocket {
  readonly name: string;
  /** Upper case, colon-separated; empty until the adapter is open. */
  address = '';
  private readonly channel: TracedChannel;
  /** Whether the host wants the adapter to advertise. */
  private isEnabled = false;
  /** Whether nothing was sent to the adapter since its reset. */
  private fresh = false;
  /** Resolves when the adapter has neither link nor advertising left, after `stop`. */
  silent: Promise<void> = Promise.resolve();

  /** `warn` receives a message when the adapter is lost and cannot be opened again. */
  constructor(
    readonly device: number,
    private readonly warn: (cause: string) => void,
    time: TimeSource,
  ) {
    const channel = new TracedChannel(device, time);
    super(channel, time);
    this.channel = channel;
    this.name = `hci${device}`;
    channel.on('packet', (packet: Buffer) => this.follow(packet));
    this.watch();
  }

  /** Opens the adapter and reads its address. Left: a message that names the problem and its solution. */
  async open(): Promise<E.Either<string, void>> {
    this.once('up', () => this.write(encodeCommand('readBdAddr', {})));
    try {
      this.start();
    } catch (error) {
      return E.left(refusal(error, this.device));
    }
    const returned = await this.next((packet) => completionOf(packet, 'readBdAddr'));
    if (returned?.[0] !== Status.success) {
      super.stop();
      return E.left(`${this.name} does not answer: ${IF_UNABLE}`);
    }
    this.address = address.read(returned, 1);
    return E.right(undefined);
  }

  /** Sends all further packets to and from the adapter to `listener`. */
  trace(listener: PacketListener): void {
    this.channel.listener = listener;
  }

  /** Waits for the adapter's answer to the next commands to advertise. Left: a message with the reason of the failure. */
  async advertises(): Promise<E.Either<string, void>> {
    const answer = await this.next((packet) => this.advertising(packet));
    return answer ?? E.left(`${this.name} does not answer: ${IF_UNABLE}`);
  }

  override write(packet: Buffer): void {
    const isEnable = packet[0] === PacketType.command && packet.readUInt16LE(1) === ENABLE;
    if (isEnable) this.isEnabled = packet[4] === 1;
    this.fresh = false;
    super.write(packet);
  }

  /** The device leaves: the adapter is `silent` soon, and another device may use it. */
  override stop(): void {
    // The device has removed all listeners, those of this class too.
    this.watch();
    this.silent = this.silent.then(() => this.silence());
  }

  /** Releases the adapter, once it is silent. */
  async release(): Promise<void> {
    this.stop();
    await this.silent;
    super.stop();
  }

  /** The handle of the device's link. */
  private get link(): number | undefined {
    const [link] = this.links.all;
    return link?.handle;
  }

  private watch(): void {
    this.on('refused', (error: Error) => this.warn(refusal(error, this.device)));
    this.on('error', () => undefined);
  }

  private async silence(): Promise<void> {
    if (!this.isDevUp() || this.fresh) return;
    this.write(encodeCommand('leSetAdvertisingEnable', { enable: 0 }));
    const answer = await this.next((packet) => completionOf(packet, 'leSetAdvertisingEnable'));
    if (answer === undefined) return;
    if (this.link !== undefined) {
      this.write(encodeCommand('disconnect', { handle: this.link, reason: Status.remoteUserTerminated }));
      await this.next((packet) => (this.link === undefined ? packet : undefined));
    }
    this.write(encodeCommand('reset', {}));
    this.fresh = (await this.next((packet) => completionOf(packet, 'reset'))) !== undefined;
    this.links.clear();
  }

  private follow(packet: Buffer): void {
    if (!this.isDevUp() || packet[0] !== PacketType.event) return;
    // bleno enables advertising twice after a link, maybe during the next one: a second central would replace the first.
    if (this.link !== undefined && this.isEnabled && completionOf(packet, 'leSetAdvertisingEnable')) {
      this.write(encodeCommand('leSetAdvertisingEnable', { enable: 0 }));
    }
  }

  /** The outcome of the commands to advertise, if the packet ends them. */
  private advertising(packet: Buffer): E.Either<string, void> | undefined {
    const enabling = completionOf(packet, 'leSetAdvertisingEnable') !== undefined;
    // Advertising that is off need not be stopped.
    if (enabling && !this.isEnabled) return undefined;
    const [status] = ADVERTISING.flatMap((command) => completionOf(packet, command)?.[0] ?? []);
    if (status !== undefined && status !== Status.success) {
      return E.left(`${this.name} does not advertise, ${describeStatus(status)}: ${IF_UNABLE}`);
    }
    return enabling ? E.right(undefined) : undefined;
  }

  /** The first result of `read` on a packet; undefined after the timeout, or when the adapter is gone. */
  private async next<A>(read: (packet: Buffer) => A | undefined): Promise<A | undefined> {
    const answer = await wait<A | undefined>({ time: this.time, ms: ANSWER_MS }, (settle) => {
      const take = (packet: Buffer): void => {
        const result = read(packet);
        if (result !== undefined) settle(result);
      };
      const onClosed = (): void => settle(undefined);
      this.channel.on('packet', take).on('close', onClosed);
      return () => void this.channel.off('packet', take).off('close', onClosed);
    })();
    return E.isRight(answer) ? answer.right : undefined;
  }
}

/** The first adapter that is down. Left: a message. */
const firstFree = (): E.Either<string, number> => {
  let adapters: readonly ListedAdapter[];
  try {
    adapters = listAdapters();
  } catch (error) {
    return E.left(openingAdvice(error, 'default', OTHERWISE));
  }
  const [first] = adapters;
  if (first === undefined) return E.left(noAdapterAdvice(OTHERWISE));
  const free = adapters.find(({ up }) => !up);
  return free === undefined ? E.left(upAdvice(first.device, IF_UP)) : E.right(free.device);
};

const refusal = (error: unknown, device: number): string =>
  userChannelAdvice(error, { device, name: `hci${device}`, ifUp: IF_UP, otherwise: OTHERWISE });

/** Opens adapter `device`; undefined: the first that is down. Left: a message that names the problem and its solution. */
export const openAdapter =
  (
    device: number | undefined,
    warn: (cause: string) => void,
    time: TimeSource,
  ): TaskEither<string, AdapterSocket> =>
  async () => {
    const number = device === undefined ? firstFree() : E.right(device);
    if (E.isLeft(number)) return number;
    const socket = new AdapterSocket(number.right, warn, time);
    const opened = await socket.open();
    return E.isLeft(opened) ? opened : E.right(socket);
  };
