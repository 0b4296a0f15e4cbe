import { hexText } from '../../src/bytes/index.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import {
  completeName,
  completeUuids,
  encodeAdvertisingData,
  generalDiscoverable,
} from '../ble/advertising-data.js';
import {
  NUS_NOTIFY,
  NUS_SERVICE,
  NUS_WRITE,
  encodeNotification,
} from '../../src/dice/drivers/godice/protocol/index.js';
import type { Actions, Device, Context } from '../device.js';
import type { Peripheral, PeripheralCharacteristic } from '../peripheral/index.js';
import { actionsOn } from './actions.js';
import { behaviourOf, type ActionCodecs, type BehaviourBody } from './codecs.js';
import { dieJson } from './json.js';
import { DieModel } from './model.js';
import type { DieStart } from './state.js';

const SUCCESS = 0;

/** Name and UUID do not fit one packet (docs/godice-protocol.md §9). */
const advertisement = encodeAdvertisingData([generalDiscoverable, ...completeUuids([NUS_SERVICE])]);

const scanResponse = (name: string): Buffer => encodeAdvertisingData(name === '' ? [] : [completeName(name)]);

/** A die on the air: connects its model with a peripheral. */
export class VirtualDie implements Device<ActionCodecs, BehaviourBody> {
  readonly peripheral: Peripheral;
  readonly actions: Actions<ActionCodecs>;
  private readonly state: DieModel;
  private notify: ((value: Buffer) => void) | undefined;

  /** `name` has at most 29 bytes; it is empty for a die without one. */
  constructor(
    name: string,
    start: DieStart,
    private readonly context: Context,
  ) {
    this.peripheral = context.createPeripheral({
      name,
      services: [{ uuid: NUS_SERVICE, characteristics: this.characteristics() }],
      onConnect: () => this.update(),
      onDisconnect: () => this.state.linkEnded(),
    });
    this.state = new DieModel(start, {
      time: context.time,
      notify: (notification) => void this.send(encodeNotification(notification)),
      dropLink: () => this.peripheral.disconnect(),
      changed: () => this.update(),
    });
    const { rng } = context;
    this.actions = actionsOn({ model: this.state, rng, send: (value) => this.send(value) });
    this.update();
  }

  model(): JsonRecord {
    return { ...dieJson(this.state.state), subscribed: this.notify !== undefined };
  }

  setBehaviour(behaviour: BehaviourBody): void {
    this.state.setBehaviour(behaviourOf(behaviour));
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
          this.context.happened(() => ({ type: 'written', hex: hexText(value) }));
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
    this.context.changed();
  }

  private send(value: Buffer): boolean {
    if (this.notify === undefined) return false;
    this.notify(value);
    this.context.happened(() => ({ type: 'notified', hex: hexText(value) }));
    return true;
  }

  private update(): void {
    const { peripheral, state } = this;
    if (!state.keepsLinks) peripheral.disconnect();
    if (state.awake) peripheral.advertise(advertisement, scanResponse(peripheral.name));
    else peripheral.stopAdvertising();
    this.context.changed();
  }
}
