/** A radio and dice that do exactly what a test tells them, at once. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { AdapterState, Address, Advertisement, BleError, Link, Radio } from '../../src/ble/ports.js';
import {
  decodeCommand,
  encodeNotification,
  NUS_NOTIFY,
  NUS_SERVICE,
  NUS_WRITE,
  type Command,
  type Notification,
} from '../../src/dice/protocol/index.js';
import type { Clock } from '../../src/time.js';
import { addTo, FakeDevice, type Said } from './fake-device.js';
import { manualClock } from './manual-clock.js';

export interface DieScript {
  readonly name?: string | null;
  readonly rssi?: number | null;
  readonly serviceUuids?: readonly string[];
  readonly heard?: boolean;
}

/** What a die says after it was initialised, unless a test says otherwise: lies on the 3 of a d6. */
export const BURST: readonly Notification[] = [
  { _tag: 'Battery', level: 80 },
  { _tag: 'Stable', acceleration: { x: 1, y: 63, z: -2 } },
  { _tag: 'Charging', on: false },
];

export class FakeDie extends FakeDevice {
  readonly name: string | null;
  readonly rssi: number | null;
  readonly serviceUuids: readonly string[];
  commands: Command[] = [];
  /** Which commands fail, and how. */
  refuses = new Map<Command['_tag'], BleError>();
  burst: readonly Notification[] = BURST;
  batteryLevel: number | null = 57;
  /** Commands whose writes wait until `release`. */
  holds = new Set<Command['_tag']>();
  private listener: ((value: Buffer) => void) | undefined;

  constructor(
    address: Address,
    radio: FakeRadio,
    { name = 'GoDice_1A2B3C_R_v04', rssi = -60, serviceUuids = [NUS_SERVICE] }: DieScript,
  ) {
    super(address, radio);
    this.name = name;
    this.rssi = rssi;
    this.serviceUuids = serviceUuids;
  }

  get advertisement(): Said {
    const { address, name, rssi, serviceUuids } = this;
    return { address, name, rssi, serviceUuids, connectable: true, serviceData: [] };
  }

  sent(tag: Command['_tag']): readonly Command[] {
    return this.commands.filter(({ _tag }) => _tag === tag);
  }

  /** Notifies; a die without a link says nothing. */
  say(...notifications: readonly Notification[]): void {
    for (const notification of notifications) this.sayBytes(encodeNotification(notification));
  }

  sayBytes(bytes: Buffer): void {
    this.listener?.(bytes);
  }

  override release(): void {
    this.holds.clear();
    super.release();
  }

  async subscribed(
    characteristic: string,
    listener: (value: Buffer) => void,
  ): Promise<E.Either<BleError, void>> {
    await Promise.resolve();
    if (characteristic !== NUS_NOTIFY) return E.left(this.refusal('subscribe'));
    this.listener = listener;
    return E.right(undefined);
  }

  async written(characteristic: string, value: Buffer): Promise<E.Either<BleError, void>> {
    await Promise.resolve();
    const command = decodeCommand(value);
    if (characteristic !== NUS_WRITE || E.isLeft(command)) return E.left(this.refusal('write'));
    const { right } = command;
    this.commands.push(right);
    this.radio.changed();
    if (this.holds.has(right._tag)) await this.hold(undefined);
    const refusal = this.refuses.get(right._tag);
    if (refusal !== undefined) return E.left(refusal);
    this.answer(right);
    return E.right(undefined);
  }

  protected unlinked(): void {
    this.listener = undefined;
  }

  private answer(command: Command): void {
    if (command._tag === 'Initialise') this.say(...this.burst);
    if (command._tag === 'Battery' && this.batteryLevel !== null) {
      this.say({ _tag: 'Battery', level: this.batteryLevel });
    }
    if (command._tag === 'Colour') this.say({ _tag: 'Colour', colour: 'red' });
  }
}

export class FakeRadio implements Radio {
  state: AdapterState = 'poweredOn';
  readonly listeners = new Set<(advertisement: Advertisement) => void>();
  readonly stateListeners = new Set<(state: AdapterState) => void>();
  private readonly devices = new Map<Address, FakeDevice>();
  private readonly advertised = new Map<Address, Advertisement>();
  private readonly watchers = new Set<() => void>();

  constructor(private readonly clock: Clock = manualClock()) {}

  /** A die in range; heard already unless the script says otherwise. */
  add(address: Address, script: DieScript = {}): FakeDie {
    return this.put(new FakeDie(address, this, script), script.heard);
  }

  /** A device in range. */
  put<D extends FakeDevice>(device: D, heard = true): D {
    this.devices.set(device.address, device);
    if (heard) this.advertised.set(device.address, this.hear(device));
    return device;
  }

  advertise(device: FakeDevice, changes: Partial<Advertisement> = {}): void {
    const advertisement = { ...this.hear(device), ...changes };
    this.advertised.set(device.address, advertisement);
    for (const listener of [...this.listeners]) listener(advertisement);
  }

  private hear(device: FakeDevice): Advertisement {
    return { ...device.advertisement, heardAt: this.clock.date() };
  }

  forget(device: FakeDevice): void {
    this.advertised.delete(device.address);
  }

  power(state: AdapterState): void {
    this.state = state;
    for (const listener of [...this.stateListeners]) listener(state);
  }

  /** Resolves as soon as `check` is true of the radio or its devices. */
  until(check: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const watcher = (): void => {
        if (!check()) return;
        this.watchers.delete(watcher);
        resolve();
      };
      this.watchers.add(watcher);
      watcher();
    });
  }

  /** Somebody listens. */
  get heeded(): Promise<void> {
    return this.until(() => this.listeners.size > 0);
  }

  changed(): void {
    for (const watcher of [...this.watchers]) watcher();
  }

  onState(listener: (state: AdapterState) => void): () => void {
    const forget = addTo(this.stateListeners, listener);
    this.changed();
    return forget;
  }

  listen(listener: (advertisement: Advertisement) => void): () => void {
    const forget = addTo(this.listeners, listener);
    this.changed();
    return () => {
      forget();
      this.changed();
    };
  }

  heard(address: Address): Advertisement | undefined {
    return this.advertised.get(address);
  }

  connect(address: Address, _profile: unknown, signal?: AbortSignal): TaskEither<BleError, Link> {
    return () => {
      const device = this.devices.get(address);
      return device === undefined || !this.advertised.has(address)
        ? Promise.resolve(E.left({ _tag: 'NotHeard', address }))
        : device.connect(signal);
    };
  }

  readonly close = (): Promise<void> => Promise.resolve();
}
