/** bluetoothd: its objects, while it runs; connects to the bus again after its end, and reads the objects again after a restart. */
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../async/defects.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import type { Bus, Call, CallFailure, OpenBus, Outcome } from './bus.js';
import { meaningOf, unusable } from './failures.js';
import {
  ADAPTER,
  BluezObjects,
  DEVICE,
  getObjects,
  OBJECTS_RULE,
  OWNER_RULE,
  propertiesRule,
  type Change,
} from './objects.js';

/** From a failure to the next attempt, ms. */
const RETRY_MS = 2_000;

const ROOT = '/org/bluez';
const RULES = [OBJECTS_RULE, OWNER_RULE, propertiesRule(ROOT, ADAPTER), propertiesRule(ROOT, DEVICE)];

/** The path of an adapter or a device, without services below it. */
const ADAPTER_OR_DEVICE = /^\/org\/bluez\/hci\d+(\/dev_\w+)?$/;

export interface DaemonOptions {
  readonly open: OpenBus;
  readonly time: TimeSource;
  /** Called after each change of an adapter or a device. */
  readonly changed: (change: Change) => void;
  /** Called when `problem` has changed, and when all objects were read. */
  readonly updated: () => void;
}

export class Daemon {
  readonly objects: BluezObjects;
  private bus: Bus | undefined;
  private failure: CallFailure | undefined;
  private cancelRetry: Cancel = () => undefined;
  private closed = false;

  constructor(private readonly options: DaemonOptions) {
    this.objects = new BluezObjects((path) => ADAPTER_OR_DEVICE.test(path), options.changed);
  }

  /** The reason why BlueZ cannot be used, with a remedy; undefined while it can. */
  get problem(): string | undefined {
    return this.failure && unusable(this.failure);
  }

  get isDenied(): boolean {
    return this.failure !== undefined && meaningOf(this.failure) === 'denied';
  }

  /** Resolves after the first attempt to read the objects. */
  async start(): Promise<void> {
    const opened = await this.options.open(RULES);
    if (E.isLeft(opened)) {
      this.failed(opened.left);
      this.retry(() => this.start());
      return;
    }
    const bus = opened.right;
    if (this.closed) {
      bus.close();
      return;
    }
    this.bus = bus;
    bus.onSignal((signal) => {
      if (signal.member === 'NameOwnerChanged') this.ownerChanged(bus, signal.body[2] !== '');
      else this.objects.take(signal);
    });
    bus.onEnd((reason) => {
      if (this.closed) return;
      this.bus = undefined;
      this.failed(reason);
      this.retry(() => this.start());
    });
    await this.read(bus);
  }

  async call(call: Call): Promise<Outcome> {
    const gone = { name: 'org.freedesktop.DBus.Error.Disconnected', text: 'there is no bus' };
    return this.bus === undefined ? E.left(gone) : this.bus.call(call);
  }

  close(): void {
    this.closed = true;
    this.cancelRetry();
    this.bus?.close();
    this.bus = undefined;
  }

  private ownerChanged(bus: Bus, isRunning: boolean): void {
    if (isRunning) detached(this.read(bus));
    else this.failed({ name: 'org.freedesktop.DBus.Error.ServiceUnknown', text: 'bluetoothd has ended' });
  }

  private async read(bus: Bus): Promise<void> {
    const read = await bus.call(getObjects);
    if (this.bus !== bus) return;
    if (E.isRight(read)) {
      this.failure = undefined;
      this.objects.load(read.right);
      this.options.updated();
      return;
    }
    this.failed(read.left);
    // The bus reports when bluetoothd starts.
    if (meaningOf(read.left) !== 'no bluetoothd') this.retry(() => this.read(bus));
  }

  private failed(failure: CallFailure): void {
    this.failure = failure;
    this.objects.clear();
    this.options.updated();
  }

  private retry(attempt: () => Promise<void>): void {
    this.cancelRetry();
    if (!this.closed) this.cancelRetry = this.options.time.after(RETRY_MS, () => detached(attempt()));
  }
}
