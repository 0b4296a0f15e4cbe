/** A link that BlueZ has made. Its bus connection is its own, since BlueZ keeps subscriptions beyond a link, as long as their client. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { isolated, Listeners } from '../../async/defects.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import { wait } from '../../async/wait.js';
import { lacking, type OfferedService } from '../gatt-profile.js';
import { AttError, commandProblem, shortest } from '../hci/att.js';
import { Status } from '../hci/status.js';
import type { Address, BleError, BleLimits, GattProfile, Link, Uuid } from '../ports.js';
import { QueuedLink } from '../queued-link.js';
import type { Bus, Call, Outcome, Signal } from '../../system/system-bus.js';
import { attErrorOf, describeFailure, meaningOf } from './failures.js';
import {
  BATTERY,
  BluezObjects,
  CHARACTERISTIC,
  DEVICE,
  SERVICE,
  uuidOf,
  type Change,
  type Values,
} from './objects.js';
import { Subscription } from './subscription.js';

/** How long services may be missing after BlueZ has reported them as resolved, ms (bluez issue 1489). */
const EXPORT_MS = 1_000;
/** From an operation that found the characteristic busy to the next try, ms. */
const BUSY_MS = 20;
/** How long the report of a lost link may come after the failure of an operation, ms. */
const LOSS_MS = 500;
/** How long BlueZ may take to end the subscription of an earlier link, ms. */
const UNSUBSCRIBE_MS = 1_000;
/** How long a link may take to end, ms: BlueZ waits 2 s before it ends one (`DISCONNECT_TIMER` in src/device.c). */
export const DISCONNECT_MS = 5_000;

const DOUBLED =
  'another program on this machine, such as Home Assistant, bluetoothctl or another server, receives its notifications through ' +
  'BlueZ, which would send each of them twice to both: end that program, or its connection to the device';

const BATTERY_SERVICE = '180f';
const BATTERY_LEVEL = '2a19';

/** The reasons that say as much as an HCI code, in BlueZ since 5.83 (doc/org.bluez.Device.rst). */
const REASONS: Readonly<Record<string, number>> = {
  'org.bluez.Reason.Timeout': Status.connectionTimeout,
  'org.bluez.Reason.Local': Status.localHostTerminated,
};

interface Characteristic {
  readonly path: string;
  /** The interface that has its value: that of a characteristic, or `BATTERY`. */
  readonly interface: string;
  /** Such as `notify` (doc/org.bluez.GattCharacteristic.rst). */
  readonly flags: readonly string[];
}

/** A value, and the number of the signal that brought it. */
interface Notified {
  readonly value: Buffer;
  readonly serial: number;
}

const done = E.map((): void => undefined);

export interface LinkOptions {
  readonly address: Address;
  /** The path of the device. */
  readonly path: string;
  readonly limits: BleLimits;
  readonly time: TimeSource;
  /** Called when another program is found to receive the device's notifications, and when it does no longer. */
  readonly shared: (isShared: boolean) => void;
  /** Called when the link ends for this server, but not on the air, since another program uses it. */
  readonly left: () => void;
}

export class BluezLink extends QueuedLink<Characteristic> implements Link {
  private readonly objects: BluezObjects;
  private closed: Promise<void> = Promise.resolve();
  /** Called after each change of the device. */
  private readonly watchers = new Listeners<undefined>();
  /** The subscriptions by the path of their characteristic. */
  private readonly subscriptions = new Map<string, Subscription>();
  /** A read that runs, and the values that BlueZ has reported meanwhile: one of them is its result. */
  private reading: { readonly path: string; readonly values: Notified[] } | undefined;
  /** The serial of the last signal. */
  private serial = 0;
  private reason: number | null = null;
  /** Another program listened to the device before, over this link, which it keeps. */
  private isOthers = false;

  /** `bus`: a connection of this link alone, which gets the signals of the device. */
  constructor(
    private readonly bus: Bus,
    private readonly options: LinkOptions,
  ) {
    super(options.address, options.time);
    const { path } = options;
    this.objects = new BluezObjects(
      (other) => other === path || other.startsWith(`${path}/`),
      (change) => this.changed(change),
    );
    bus.onSignal((signal) => this.take(signal));
    bus.onEnd(() => this.lost({ _tag: 'LinkLost', address: this.address, reason: null }));
  }

  /** Reads the objects of BlueZ, to take its signals from then on. */
  async load(): Promise<Outcome> {
    const outcome = await this.objects.read(this.bus);
    if (E.isRight(outcome) && this.device?.['Connected'] !== true)
      this.lost({ _tag: 'LinkLost', address: this.address, reason: null });
    return outcome;
  }

  get mtu(): number | null {
    const sizes = this.objects.having(CHARACTERISTIC).map(([, { MTU }]) => MTU);
    return sizes.find((size) => typeof size === 'number') ?? null;
  }

  /** Waits until BlueZ has all services and characteristics of `profile`. */
  discover(profile: readonly GattProfile[]): TaskEither<BleError, void> {
    return this.operation('discovery', this.options.limits.discover, (settle) => {
      let cancelGrace: Cancel | undefined;
      const look = (): void => {
        const hidden = this.battery.map(([uuid]): OfferedService => [BATTERY_SERVICE, [uuid]]);
        const missing = lacking(profile, [...this.services, ...hidden]);
        if (this.device?.['ServicesResolved'] !== true) return;
        if (missing === undefined) {
          const exported = this.objects.having(CHARACTERISTIC).map(([path, { UUID, Flags }]) => {
            const flags = Array.isArray(Flags) ? Flags.map(String) : [];
            return [uuidOf(UUID), { path, interface: CHARACTERISTIC, flags }] as const;
          });
          this.characteristics = new Map([...this.battery, ...exported]);
          settle(E.right(undefined));
        } else
          cancelGrace ??= this.time.after(EXPORT_MS, () =>
            settle(E.left(this.gattFailed('discovery', `the device has no ${missing}`))),
          );
      };
      const unwatch = this.watch(look);
      return () => {
        unwatch();
        cancelGrace?.();
      };
    });
  }

  notifies(uuid: Uuid): boolean {
    return this.characteristics.get(shortest(uuid))?.flags.includes('notify') === true;
  }

  /** BlueZ reports the result of a read as a notification, too, before its reply. */
  read(uuid: Uuid): TaskEither<BleError, Buffer> {
    return this.performOn('read', uuid, this.options.limits.gatt, async ({ path, interface: name }) => {
      if (name === BATTERY) return E.right(this.batteryLevel());
      const reading = (this.reading = { path, values: [] as Notified[] });
      const outcome = await this.invoke('read', { path, member: 'ReadValue', options: {} });
      this.reading = undefined;
      const value =
        E.isRight(outcome) && Buffer.isBuffer(outcome.right[0]) ? outcome.right[0] : Buffer.alloc(0);
      const echo = E.isRight(outcome)
        ? reading.values.findLastIndex((other) => other.value.equals(value))
        : -1;
      for (const other of reading.values.toSpliced(echo, echo < 0 ? 0 : 1))
        this.subscriptions.get(path)?.receive(other.value, other.serial);
      return E.map(() => value)(outcome);
    });
  }

  write(uuid: Uuid, value: Buffer, withoutResponse = false, begun?: () => void): TaskEither<BleError, void> {
    return this.performOn('write', uuid, this.options.limits.gatt, async ({ path, flags }) => {
      const type = !withoutResponse && flags.includes('write') ? 'request' : 'command';
      const problem = type === 'command' && this.mtu !== null ? commandProblem(value, this.mtu) : undefined;
      if (problem !== undefined) return E.left(this.gattFailed('write', problem));
      begun?.();
      const options: Call['options'] = { type: ['s', type] };
      return done(
        await this.invoke('write', { path, member: 'WriteValue', signature: 'ay', body: [value], options }),
      );
    });
  }

  subscribe(uuid: Uuid, listener: (value: Buffer) => void): TaskEither<BleError, void> {
    const { discover } = this.options.limits;
    return this.performOn('subscription', uuid, discover, async ({ path, flags, interface: name }) => {
      if (!flags.includes('notify') && !flags.includes('indicate'))
        return E.left(this.gattFailed('subscription', `characteristic ${uuid} cannot notify`));
      if (!this.subscriptions.has(path) && !(await this.isUnused(path))) {
        this.isOthers = true;
        return E.left(this.gattFailed('subscription', DOUBLED));
      }
      const subscription = this.subscriptionOf(path, isolated(listener));
      this.subscriptions.set(path, subscription);
      if (name === BATTERY) return E.right(undefined);
      const outcome = await this.invoke('subscription', { path, member: 'StartNotify' });
      if (E.isLeft(outcome)) this.subscriptions.delete(path);
      return done(outcome);
    });
  }

  /** BlueZ knows the signal of advertisements alone. */
  readonly rssi: TaskEither<BleError, number | null> = () =>
    Promise.resolve(this.ended === undefined ? E.right(null) : E.left(this.ended));

  /** Ends a link that has ended on the air, or whose BlueZ is gone. */
  lost(cause: BleError): void {
    this.end(cause);
    this.bus.close();
  }

  protected close(cause: BleError): Promise<void> {
    if (this.ended === undefined) {
      const { path } = this.options;
      const call = { path, interface: DEVICE, member: 'Disconnect', ms: DISCONNECT_MS };
      const isOthers = this.isOthers || this.isShared;
      const ending = isOthers ? Promise.resolve() : this.bus.call(call);
      if (isOthers) this.options.left();
      this.closed = ending.then(() => this.bus.close());
      this.end(cause);
    }
    return this.closed;
  }

  protected release(): void {
    this.subscriptions.clear();
    this.watchers.call(undefined);
  }

  /** Whether another program has subscribed to notifications of the device. */
  get isShared(): boolean {
    return [...this.subscriptions.values()].some(({ isShared }) => isShared);
  }

  private subscriptionOf(path: string, listener: (value: Buffer) => void): Subscription {
    return new Subscription({
      time: this.time,
      listener: (value) => this.ended ?? listener(value),
      call: (member) =>
        this.perform('subscription', this.options.limits.gatt, () =>
          this.invoke('subscription', { path, member }),
        )(),
      isNotifying: () => this.isNotifying(path),
      shared: (isShared) => this.ended ?? this.options.shared(isShared),
      failed: (error) => this.fail(error),
    });
  }

  private isNotifying(path: string): boolean {
    return this.objects.get(path, CHARACTERISTIC)?.['Notifying'] === true;
  }

  /** Runs an operation on a characteristic when it has its turn. */
  private performOn<A>(
    name: string,
    uuid: Uuid,
    ms: number,
    run: (characteristic: Characteristic) => Promise<E.Either<BleError, A>>,
  ): TaskEither<BleError, A> {
    return this.onCharacteristic(name, uuid, (characteristic) =>
      this.perform(name, ms, () => run(characteristic)),
    );
  }

  /** Calls a method of a characteristic, again while an operation of another program keeps it busy. */
  private async invoke(operation: string, call: Omit<Call, 'interface'>) {
    for (;;) {
      const outcome = await this.bus.call({ ...call, interface: CHARACTERISTIC, ms: null });
      if (E.isRight(outcome)) return outcome;
      const meaning = meaningOf(outcome.left);
      const error = attErrorOf(outcome.left);
      if (meaning === 'busy' && this.ended === undefined) {
        await this.pause(BUSY_MS);
        continue;
      }
      // BlueZ fails the operations of a lost link, some of them by this error, before it reports the loss.
      if (meaning !== undefined || error === AttError.unlikelyError) await this.pause(LOSS_MS);
      return E.left<BleError>(this.gattFailed(operation, describeFailure(outcome.left), error));
    }
  }

  /** Waits until the time is up or the link has ended. */
  private pause(ms: number): Promise<unknown> {
    return wait<undefined>({ time: this.time, ms }, (settle) => this.onEnd(() => settle(undefined)))();
  }

  /** Whether no client of BlueZ gets the notifications of a characteristic; that of an earlier link may take a moment to end. */
  private async isUnused(path: string): Promise<boolean> {
    const freed = await wait<true>({ time: this.time, ms: UNSUBSCRIBE_MS }, (settle) =>
      this.watch(() => {
        if (this.ended !== undefined || !this.isNotifying(path)) settle(true);
      }),
    )();
    return E.isRight(freed);
  }

  /** Calls back now and after each change of the device. */
  private watch(watcher: () => void): Cancel {
    const unwatch = this.watchers.add(watcher);
    watcher();
    return unwatch;
  }

  private get device(): Values | undefined {
    return this.objects.get(this.options.path, DEVICE);
  }

  private batteryLevel(): Buffer {
    return Buffer.from([Number(this.objects.get(this.options.path, BATTERY)?.['Percentage'] ?? 0)]);
  }

  private get services(): readonly OfferedService[] {
    return this.objects.having(SERVICE).map(([path, { UUID }]) => {
      const ofService = this.objects.having(CHARACTERISTIC).filter(([, { Service }]) => Service === path);
      return [uuidOf(UUID), ofService.map(([, characteristic]) => uuidOf(characteristic['UUID']))];
    });
  }

  /** BlueZ before 5.55 hides the battery service, as do others if their main.conf says so, but all have its level. */
  private get battery(): readonly (readonly [Uuid, Characteristic])[] {
    const { path } = this.options;
    const level = { path, interface: BATTERY, flags: ['read', 'notify'] };
    return this.objects.get(path, BATTERY) === undefined ? [] : [[BATTERY_LEVEL, level]];
  }

  private take(signal: Signal): void {
    if (this.ended !== undefined) return;
    this.serial = signal.serial;
    if (signal.member === 'Disconnected' && signal.interface === DEVICE)
      this.reason = REASONS[String(signal.body[0])] ?? null;
    else this.objects.take(signal);
  }

  private changed({ path, interface: name, values, isRemoved }: Change): void {
    if (name === DEVICE && (isRemoved || values['Connected'] === false)) {
      this.lost({ _tag: 'LinkLost', address: this.address, reason: this.reason });
      return;
    }
    const { serial } = this;
    const value = name === CHARACTERISTIC ? values['Value'] : undefined;
    if (Buffer.isBuffer(value)) {
      if (this.reading?.path === path) this.reading.values.push({ value, serial });
      else this.subscriptions.get(path)?.receive(value, serial);
    }
    if (name === CHARACTERISTIC && values['Notifying'] === false) this.subscriptions.get(path)?.ended();
    if (name === BATTERY && 'Percentage' in values)
      this.subscriptions.get(path)?.receive(this.batteryLevel(), serial);
    this.watchers.call(undefined);
  }
}
