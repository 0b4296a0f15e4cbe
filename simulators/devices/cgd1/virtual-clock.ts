import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type { Cancel } from '../../../src/async/time.js';
import type { Actions, Device, Context } from '../device.js';
import type { Peripheral } from '../../peripheral/index.js';
import { actionsOn } from './actions.js';
import { Broadcast, nameResponse, type AdvertisementForm } from './broadcast.js';
import type { ClockBehaviour } from './behaviour.js';
import type { ActionCodecs } from './codecs.js';
import { ClockGatt } from './gatt.js';
import { clockJson } from './json.js';
import { ClockModel } from './model.js';
import type { ClockStart } from './state.js';

/** The interval at which unchanged readings are notified: not in any source (docs/cgd1-protocol.md §13). */
const READING_MS = 10_000;

/** A clock on the air: connects its model with a peripheral. */
export class VirtualClock implements Device<ActionCodecs, ClockBehaviour> {
  readonly peripheral: Peripheral;
  readonly actions: Actions<ActionCodecs>;
  private readonly state: ClockModel;
  private readonly gatt: ClockGatt;
  private readonly broadcast: Broadcast;
  private nextReading: Cancel | undefined;
  /** The last level of the battery service. */
  private gattBattery: number;

  /** `name` has at most 28 bytes; it is empty for a clock without a name. */
  constructor(
    name: string,
    form: AdvertisementForm,
    start: ClockStart,
    private readonly context: Context,
  ) {
    const { address, time, listened, changed, happened } = context;
    this.gatt = new ClockGatt({
      mtu: () => this.peripheral.mtu,
      written: (channel, value) => this.state.write(channel, value),
      onReadingSubscribed: () => this.notifyReading(),
      batteryLevel: () => this.state.gattBattery,
      ...{ changed, happened },
    });
    this.peripheral = context.createPeripheral({
      name,
      services: this.gatt.services,
      onConnect: () => this.broadcast.stop(),
      onDisconnect: () => this.linkEnded(),
    });
    this.peripheral.limitMtu(start.behaviour.mtu);
    this.state = new ClockModel(start, {
      notify: (channel, notification) => this.gatt.notify(channel, notification),
      dropLink: () => this.peripheral.disconnect(),
      ...{ time, changed, happened },
    });
    this.gattBattery = this.state.gattBattery;
    const scanResponse = nameResponse(name);
    this.broadcast = new Broadcast({
      ...{ address, time, form, listened },
      measured: () => this.state.state,
      advertise: (advertisement) => this.peripheral.advertise(advertisement, scanResponse),
    });
    this.broadcast.start();
    this.actions = actionsOn({
      model: this.state,
      send: (characteristic, value) => this.gatt.send(characteristic, value),
      publish: (values) => this.publish(values),
    });
  }

  model(): JsonRecord {
    return { ...clockJson(this.state.state), subscribed: this.gatt.subscribed };
  }

  setBehaviour(behaviour: ClockBehaviour): void {
    this.state.setBehaviour(behaviour);
    this.peripheral.limitMtu(behaviour.mtu);
    this.notifyBattery();
  }

  close(): void {
    this.broadcast.stop();
    this.nextReading?.();
    this.state.close();
  }

  private publish(values: 'sensors' | 'battery'): void {
    if (values === 'battery') this.notifyBattery();
    if (!this.peripheral.connected) this.broadcast.start();
    else if (values === 'sensors') this.notifyReading();
  }

  /** Notifies the reading now, and repeatedly while the host is subscribed. */
  private notifyReading(): void {
    this.nextReading?.();
    if (!this.gatt.notifyReading(this.state.state.reading)) return;
    this.nextReading = this.context.time.after(READING_MS, () => this.notifyReading());
  }

  /** Notifies the level of the battery service if it has changed. */
  private notifyBattery(): void {
    const { gattBattery } = this.state;
    if (gattBattery === this.gattBattery) return;
    this.gattBattery = gattBattery;
    this.gatt.notifyBattery(gattBattery);
  }

  private linkEnded(): void {
    this.nextReading?.();
    this.state.linkEnded();
    this.broadcast.start();
  }
}
