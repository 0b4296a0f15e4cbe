/** A radio on a fake bluetoothd; all time is the test's. */
import { expect } from 'chai';
import { afterEach, beforeEach } from 'mocha';
import { DEFAULT_MEMORY } from '../../src/ble/advertisement-cache.js';
import { BluezRadio } from '../../src/ble/bluez/radio.js';
import type { Advertisement, BleLimits, GattProfile, Link } from '../../src/ble/ports.js';
import { right } from './either.js';
import type { FakeDevice } from './bluez-values.js';
import { DISCONNECT_TIMER, FakeBluez } from './fake-bluez.js';
import { otherTurns } from './hci-host.js';
import { manualTime, type ManualTime } from './manual-time.js';

export const [A, B] = ['D1:CE:00:00:00:01', 'D1:CE:00:00:00:02'] as const;
export const [SERVICE, NOTIFYING, WRITABLE] = ['ff00', 'ff01', 'ff02'] as const;
export const PROFILE: readonly GattProfile[] = [{ service: SERVICE, characteristics: [NOTIFYING, WRITABLE] }];
export const SERVICES: FakeDevice['services'] = {
  [SERVICE]: [
    { uuid: NOTIFYING, flags: ['read', 'notify'] },
    { uuid: WRITABLE, flags: ['write', 'write-without-response'] },
  ],
};
export const LIMITS: BleLimits = { connect: 10_000, discover: 5_000, gatt: 1_000 };

export class BluezRig {
  readonly time: ManualTime = manualTime();
  readonly bluez = new FakeBluez(this.time);
  readonly messages: string[] = [];
  readonly advertisements: Advertisement[] = [];
  readonly radio = new BluezRadio({
    ...{ open: this.bluez.open, limits: LIMITS, time: this.time, memory: DEFAULT_MEMORY },
    inform: (message) => this.messages.push(message),
    warn: (message) => this.messages.push(`warning: ${message}`),
  });

  /** Starts the radio, and listens. */
  async listen(): Promise<void> {
    right(await this.radio.start(undefined));
    this.radio.listen((advertisement) => this.advertisements.push(advertisement));
    await otherTurns();
  }

  /** Listens with device A in range. */
  async inRange(services = SERVICES): Promise<FakeDevice> {
    const device = this.bluez.device(A, { Name: 'die', RSSI: -60 }, services);
    await this.listen();
    return device;
  }

  /** A link to device A. */
  async link(services = SERVICES, profile = PROFILE): Promise<Link> {
    await this.inRange(services);
    const link = right(await this.radio.connect(A, profile)());
    await otherTurns();
    this.bluez.calls = [];
    return link;
  }

  /** Lets everything that waits on the event loop run, then time pass in steps of 100 ms. */
  async pass(ms: number): Promise<void> {
    await otherTurns();
    for (let passed = 0; passed < ms; passed += 100) await this.time.pass(Math.min(100, ms - passed));
  }

  /** The calls since the last use of this method, without those that read objects. */
  calls(): readonly string[] {
    const { calls } = this.bluez;
    this.bluez.calls = [];
    return calls.filter((member) => member !== 'GetManagedObjects' && member !== 'SetDiscoveryFilter');
  }

  async close(): Promise<void> {
    const closed = this.radio.close();
    await this.pass(DISCONNECT_TIMER);
    await closed;
  }
}

/** A new rig in each test; at the end the radio must leave no timer and no connection to the bus. */
export const useBluez = (): (() => BluezRig) => {
  let rig = new BluezRig();
  beforeEach(() => {
    rig = new BluezRig();
  });
  afterEach(async () => {
    await rig.close();
    expect([rig.time.pending, rig.bluez.clients.size], 'timers and connections after the end').to.deep.equal([
      0, 0,
    ]);
  });
  return () => rig;
};
