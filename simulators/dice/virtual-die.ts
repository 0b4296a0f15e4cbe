import type { JsonRecord } from 'fp-ts/lib/Json.js';
import {
  completeName,
  completeUuids,
  encodeAdvertisingData,
  generalDiscoverable,
} from '../../src/ble/hci/advertising-data.js';
import { NUS_NOTIFY, NUS_SERVICE, NUS_WRITE, encodeNotification } from '../../src/dice/protocol/index.js';
import type { Actions, Device, Surroundings } from '../device.js';
import type { Peripheral, PeripheralCharacteristic } from '../peripheral/index.js';
import { actionsOn } from './actions.js';
import { temperOf, type ActionCodecs, type TemperBody } from './codecs.js';
import { dieJson } from './json.js';
import { DieModel } from './model.js';
import type { DieStart } from './state.js';

const SUCCESS = 0;

/** Name and UUID do not fit one packet (docs/godice-protocol.md §9). */
const advertisement = encodeAdvertisingData([generalDiscoverable, ...completeUuids([NUS_SERVICE])]);

const scanResponse = (name: string): Buffer => encodeAdvertisingData(name === '' ? [] : [completeName(name)]);

const hex = (value: Buffer): string => value.toString('hex').toUpperCase();

/** A die on the air: the radio does what the model says. */
export class VirtualDie implements Device<ActionCodecs, TemperBody> {
  readonly peripheral: Peripheral;
  readonly actions: Actions<ActionCodecs>;
  private readonly state: DieModel;
  private notify: ((value: Buffer) => void) | undefined;

  /** `name` has at most 29 bytes; it is empty for a die without one. */
  constructor(
    name: string,
    start: DieStart,
    private readonly surroundings: Surroundings,
  ) {
    this.peripheral = surroundings.createPeripheral({
      name,
      services: [{ uuid: NUS_SERVICE, characteristics: this.characteristics() }],
      onConnect: () => this.settle(),
      onDisconnect: () => this.state.linkEnded(),
    });
    this.state = new DieModel(start, {
      clock: surroundings.clock,
      notify: (notification) => void this.send(encodeNotification(notification)),
      dropLink: () => this.peripheral.disconnect(),
      changed: () => this.settle(),
    });
    const { rng } = surroundings;
    this.actions = actionsOn({ model: this.state, rng, send: (value) => this.send(value) });
    this.settle();
  }

  model(): JsonRecord {
    return { ...dieJson(this.state.state), subscribed: this.notify !== undefined };
  }

  setTemper(temper: TemperBody): void {
    this.state.setTemper(temperOf(temper));
  }

  close(): void {
    this.state.close();
  }

  private characteristics(): readonly PeripheralCharacteristic[] {
    return [
      {
        uuid: NUS_WRITE,
        properties: ['write', 'writeWithoutResponse'],
        onWrite: (value) => {
          this.surroundings.happened(() => ({ type: 'written', hex: hex(value) }));
          // A die answers after the response to the write, not before.
          queueMicrotask(() => this.state.write(value));
          return SUCCESS;
        },
      },
      {
        uuid: NUS_NOTIFY,
        properties: ['notify'],
        onSubscribe: (notify) => this.subscribed(notify),
        onUnsubscribe: () => this.subscribed(undefined),
      },
    ];
  }

  private subscribed(notify: ((value: Buffer) => void) | undefined): void {
    this.notify = notify;
    this.surroundings.changed();
  }

  private send(value: Buffer): boolean {
    if (this.notify === undefined) return false;
    this.notify(value);
    this.surroundings.happened(() => ({ type: 'notified', hex: hex(value) }));
    return true;
  }

  private settle(): void {
    const { peripheral, state } = this;
    if (!state.keepsLinks) peripheral.disconnect();
    if (state.awake) peripheral.advertise(advertisement, scanResponse(peripheral.name));
    else peripheral.stopAdvertising();
    this.surroundings.changed();
  }
}
