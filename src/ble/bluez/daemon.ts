/** bluetoothd: a copy of its adapters and devices while it runs; connects again after the end of bluetoothd or of the bus. */
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../async/defects.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { systemTime, type Cancel, type TimeSource } from '../../async/time.js';
import type { Address } from '../ports.js';
import type { Problem } from '../problem.js';
import {
  DISCONNECTED,
  systemBusOf,
  type Bus,
  type Call,
  type CallFailure,
  type OpenBus,
  type Outcome,
} from '../../system/system-bus.js';
import { meaningOf, unusable } from './failures.js';
import { ADAPTER, BluezObjects, DEVICE, OBJECTS_RULE, propertiesRule, type Change } from './objects.js';

/** From a failure to the next attempt, ms. */
const RETRY_MS = 2_000;

const ROOT = '/org/bluez';
const OWNER_RULE = "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.bluez'";
const RULES = [OBJECTS_RULE, OWNER_RULE, propertiesRule(ROOT, ADAPTER), propertiesRule(ROOT, DEVICE)];

/** The path of an adapter or a device, without the services below it. */
const ADAPTER_OR_DEVICE = /^\/org\/bluez\/hci\d+(\/dev_\w+)?$/;

export const bluezBus = (time: TimeSource): OpenBus => systemBusOf('org.bluez', time);

/** An adapter of BlueZ. */
export interface BluezAdapter {
  /** Such as `hci0`; the kernel may give it another number when it is plugged in again. */
  readonly name: string;
  readonly address: Address;
  readonly isPowered: boolean;
  /** Whether rfkill keeps it off. */
  readonly isBlocked: boolean;
}

/** The adapter for a user who names none: the first that is on, else the first. */
export const defaultAdapter = (adapters: readonly BluezAdapter[]): BluezAdapter | undefined =>
  adapters.find(({ isPowered }) => isPowered) ?? adapters[0];

interface DaemonOptions {
  readonly open: OpenBus;
  readonly time: TimeSource;
  /** Called after each change of an adapter or a device. */
  readonly changed: (change: Change) => void;
  /** Called when `problem` has changed, after a change of all objects. */
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

  /** The reason why BlueZ cannot be used; undefined while it can. */
  get problem(): Problem | undefined {
    return this.failure && unusable(this.failure);
  }

  get isDenied(): boolean {
    const meaning = this.failure && meaningOf(this.failure);
    return meaning === 'denied' || meaning === 'unknownUser' || meaning === 'confined';
  }

  /** Sorted by number. */
  get adapters(): readonly BluezAdapter[] {
    return this.objects
      .having(ADAPTER)
      .map(([path, { Address, Powered, PowerState }]) => ({
        ...{ name: path.slice(ROOT.length + 1), address: String(Address), isPowered: Powered === true },
        isBlocked: PowerState === 'off-blocked',
      }))
      .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  }

  /** Resolves after the first attempt. */
  async start(): Promise<void> {
    const opened = await this.options.open(RULES);
    if (E.isLeft(opened)) {
      this.failed(opened.left);
      return;
    }
    const bus = opened.right;
    if (this.closed) {
      bus.close();
      return;
    }
    this.bus = bus;
    const fail = (failure: CallFailure): void => {
      if (this.bus === bus) this.failed(failure);
    };
    bus.onEnd(fail);
    bus.onSignal((signal) => {
      if (this.bus !== bus) return;
      if (signal.member !== 'NameOwnerChanged') this.objects.take(signal);
      else if (signal.body[2] === '')
        fail({ name: 'org.freedesktop.DBus.Error.NameHasNoOwner', text: 'bluetoothd has ended' });
    });
    const read = await this.objects.read(bus);
    if (E.isLeft(read)) fail(read.left);
    else if (this.bus === bus) {
      this.failure = undefined;
      this.options.updated();
    }
  }

  async call(call: Call): Promise<Outcome> {
    return this.bus === undefined ? E.left(DISCONNECTED) : this.bus.call(call);
  }

  close(): void {
    this.closed = true;
    this.cancelRetry();
    const { bus } = this;
    this.bus = undefined;
    bus?.close();
  }

  private failed(failure: CallFailure): void {
    const { bus } = this;
    this.bus = undefined;
    bus?.close();
    if (this.closed) return;
    this.failure = failure;
    this.objects.clear();
    this.options.updated();
    this.cancelRetry = this.options.time.after(RETRY_MS, () => detached(this.start()));
  }
}

/** The adapters of BlueZ, by number. Left: the reason why BlueZ cannot be used. */
export const listBluezAdapters: TaskEither<Problem, readonly BluezAdapter[]> = async () => {
  const ignore = (): void => undefined;
  const open = bluezBus(systemTime);
  const daemon = new Daemon({ open, time: systemTime, changed: ignore, updated: ignore });
  await daemon.start();
  const { problem, adapters } = daemon;
  daemon.close();
  return problem === undefined ? E.right(adapters) : E.left(problem);
};
