/** A radio that follows a test exactly and immediately. */
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type {
  AdapterState,
  Address,
  Advertisement,
  BleError,
  GattProfile,
  Link,
  Radio,
} from '../../src/ble/ports.js';
import { type TimeSource } from '../../src/async/time.js';
import { addTo, type FakeDevice } from './fake-device.js';
import { FakeDie, type DieScript } from './fake-die.js';
import { manualTime } from './manual-time.js';

export class FakeRadio implements Radio {
  state: AdapterState = 'poweredOn';
  readonly listeners = new Set<(advertisement: Advertisement) => void>();
  readonly observers = new Set<(advertisement: Advertisement) => void>();
  readonly stateListeners = new Set<(state: AdapterState) => void>();
  private readonly devices = new Map<Address, FakeDevice>();
  private readonly advertised = new Map<Address, Advertisement>();
  private readonly watchers = new Set<() => void>();

  constructor(private readonly time: TimeSource = manualTime()) {}

  /** A die in range; it has advertised already unless the script says otherwise. */
  add(address: Address, script: DieScript = {}): FakeDie {
    return this.put(new FakeDie(address, this, script), script.advertised);
  }

  /** A device in range. */
  put<D extends FakeDevice>(device: D, advertised = true): D {
    this.devices.set(device.address, device);
    if (advertised) this.received(this.hear(device));
    return device;
  }

  advertise(device: FakeDevice, changes: Partial<Advertisement> = {}): void {
    const advertisement = { ...this.hear(device), ...changes };
    this.received(advertisement);
    for (const listener of [...this.listeners]) listener(advertisement);
  }

  /** Advertises a device as soon as a listener is added. */
  async heard(device: FakeDevice, changes?: Partial<Advertisement>): Promise<void> {
    await this.heeded;
    this.advertise(device, changes);
  }

  private received(advertisement: Advertisement): void {
    this.advertised.set(advertisement.address, advertisement);
    for (const observer of this.observers) observer(advertisement);
  }

  private hear(device: FakeDevice): Advertisement {
    return { ...device.advertisement, heardAt: this.time.date() };
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

  /** Resolves when a listener is added. */
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

  observe(listener: (advertisement: Advertisement) => void): () => void {
    return addTo(this.observers, listener);
  }

  lastAdvertisement(address: Address): Advertisement | undefined {
    return this.advertised.get(address);
  }

  connect(
    address: Address,
    profile: readonly GattProfile[],
    signal?: AbortSignal,
  ): TaskEither<BleError, Link> {
    return () => {
      const device = this.devices.get(address);
      return device === undefined || !this.advertised.has(address)
        ? Promise.resolve(E.left({ _tag: 'NotFound', address }))
        : device.connect(profile, signal);
    };
  }

  readonly close = (): Promise<void> => Promise.resolve();
}

/** Checks that a server has left no timer, no listener and no link behind. */
export const expectNothingLeft = (
  time: { readonly pending: number },
  radio: FakeRadio,
  devices: readonly { readonly link: unknown; readonly address: Address }[],
): void => {
  expect(time.pending, 'timers').to.equal(0);
  expect(radio.listeners.size, 'advertisement listeners').to.equal(0);
  expect(radio.observers.size, 'advertisement observers').to.equal(0);
  expect(radio.stateListeners.size, 'adapter listeners').to.equal(0);
  for (const { link, address } of devices) expect(link, `the link of ${address}`).to.equal(undefined);
};
