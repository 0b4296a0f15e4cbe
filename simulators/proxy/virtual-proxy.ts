/** A Bluetooth proxy of ESPHome in the simulated world, and the faults that such proxies have. */
import { randomBytes } from 'node:crypto';
import { duplexPair, type Duplex } from 'node:stream';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { pino } from 'pino';
import { detached } from '../../src/async/defects.js';
import { SerialQueue } from '../../src/async/tasks.js';
import { systemTime, type Cancel } from '../../src/async/time.js';
import { openRadio, type NobleRadio } from '../../src/ble/noble/index.js';
import { LINK_LIMITS, startProxy, type Proxy } from '../../src/proxy/server.js';
import type { EsphomeSubscriber } from '../../src/contract/proxies.js';
import type { FaultyProxy } from '../radio/index.js';
import { Conditions } from './conditions.js';
import { openLine, type Line } from './line.js';

export interface VirtualProxyOptions {
  /** The name of the proxy and its adapter. */
  readonly name: string;
  /** `AA:BB:CC:DD:EE:FF`, of its adapter too. */
  readonly mac: string;
  /** The address on which it listens. */
  readonly address: string;
  /** 0: a free port. */
  readonly port: number;
  readonly slots: number;
  readonly subscriber: EsphomeSubscriber;
  readonly key: Buffer | undefined;
  /** Gives a stream a controller, until the stream ends. */
  readonly attach: (stream: Duplex) => void;
  /** Switches the controller on or off. */
  readonly power: (on: boolean) => void;
}

/** Length of the key in ESPHome's `api: encryption: key:`. */
const KEY_BYTES = 32;

/** The pause between attempts to listen again after an outage, during which its port may have been taken, ms. */
const RETRY_MS = 200;

/** The host's end of a stream whose other end gets a controller. */
const openStream = (attach: (stream: Duplex) => void): Duplex => {
  const [host, controller] = duplexPair();
  host.on('close', () => controller.destroy());
  controller.on('close', () => host.destroy());
  attach(controller);
  return host;
};

export class VirtualProxy implements FaultyProxy {
  private radio: NobleRadio | undefined;
  private proxy: Proxy | undefined;
  private closed = false;
  private port: number;
  private readonly lines = new Set<Line>();
  private readonly changes = new SerialQueue();
  private readonly taken = new Conditions<number>(() => this.update());
  private readonly keptLinks = new Conditions<undefined>(() => this.update());
  private readonly deaf = new Conditions<undefined>(() => this.update());
  private readonly keys = new Conditions<Buffer>(() => this.changeKey());
  private readonly delays = new Conditions<() => number>(() => undefined);
  private readonly stalls = new Conditions<undefined>(() => this.lines.forEach(({ pump }) => pump()));
  private readonly outages = new Conditions<undefined>(() =>
    detached(this.changes.run(() => this.switchPower())),
  );

  private constructor(private readonly options: VirtualProxyOptions) {
    this.port = options.port;
  }

  /** Left: a message, if it cannot listen. */
  static open(options: VirtualProxyOptions): TaskEither<string, VirtualProxy> {
    return async () => {
      const proxy = new VirtualProxy(options);
      const opened = await openRadio({
        hci: { kind: 'own', name: options.name, open: () => openStream(options.attach) },
        limits: LINK_LIMITS,
        warn: () => undefined,
      })();
      if (E.isLeft(opened)) return E.left(`the adapter of the proxy ${options.name} does not answer`);
      proxy.radio = opened.right;
      const started = await proxy.start();
      if (E.isRight(started)) return E.right(proxy);
      await proxy.close();
      return started;
    };
  }

  get name(): string {
    return this.options.name;
  }

  get address(): string {
    return this.options.mac;
  }

  /** The description in the control API. */
  get report() {
    const { name, mac, slots, subscriber, key } = this.options;
    return {
      ...{ name, port: this.port, mac, slots, subscriber },
      ...{ encrypted: key !== undefined, up: this.proxy !== undefined },
      free: this.proxy?.freeSlots ?? 0,
      clients: this.proxy?.clients ?? 0,
      devices: this.proxy?.devices ?? [],
    };
  }

  takeSlots = (slots: number): Cancel => this.taken.add(slots);
  slowDown = (delay: () => number): Cancel => this.delays.add(delay);
  stall = (): Cancel => this.stalls.add(undefined);
  deafen = (): Cancel => this.deaf.add(undefined);
  keepLinks = (): Cancel => this.keptLinks.add(undefined);
  replaceKey = (): Cancel => this.keys.add(randomBytes(KEY_BYTES));
  powerDown = (): Cancel => this.outages.add(undefined);

  cut(): void {
    this.proxy?.cut();
  }

  /** Resolves when all changes of its power are done. */
  settled(): Promise<void> {
    return this.changes.idle();
  }

  /** Resolves when no connection, no link and no adapter is left. */
  readonly close = (): Promise<void> => {
    this.closed = true;
    return this.changes.run(async () => {
      await this.stop();
      await this.radio?.close();
    });
  };

  private async start(): Promise<E.Either<string, void>> {
    const { radio } = this;
    if (radio === undefined) return E.right(undefined);
    const { address, name, mac, slots, subscriber } = this.options;
    const started = await startProxy({
      ...{ radio, address, name, mac, slots, subscriber, port: this.port, key: this.key },
      ...{ time: systemTime, log: pino({ enabled: false }) },
      line: (socket) => {
        const line = openLine(socket, this.network, systemTime);
        this.lines.add(line);
        socket.on('close', () => this.lines.delete(line));
        return line.stream;
      },
    })();
    if (E.isLeft(started)) return started;
    this.proxy = started.right;
    this.port = started.right.port;
    this.update();
    return E.right(undefined);
  }

  private async stop(): Promise<void> {
    const { proxy } = this;
    this.proxy = undefined;
    proxy?.cut();
    await proxy?.close();
  }

  private readonly network = {
    delay: (): number => this.delays.values.reduce((sum, delay) => sum + delay(), 0),
    isStalled: (): boolean => this.stalls.any,
  };

  private get key(): Buffer | undefined {
    return this.keys.values.at(-1) ?? this.options.key;
  }

  private update(): void {
    this.proxy?.reserve(this.taken.values.reduce((sum, slots) => sum + slots, 0));
    this.proxy?.hear(!this.deaf.any);
    this.proxy?.keepLinks(this.keptLinks.any);
    this.proxy?.useKey(this.key);
  }

  /** A proxy restarts when its key is changed. */
  private changeKey(): void {
    this.update();
    this.cut();
  }

  private async switchPower(): Promise<void> {
    const on = !this.outages.any;
    if (this.closed || on === (this.proxy !== undefined)) return;
    if (!on) {
      // Power first: then no link has to be ended on the air.
      this.options.power(false);
      await this.stop();
      return;
    }
    this.options.power(true);
    if (E.isLeft(await this.start()))
      systemTime.after(RETRY_MS, () => detached(this.changes.run(() => this.switchPower())));
  }
}
