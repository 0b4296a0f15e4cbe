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
import type { Peripheral } from '../peripheral/index.js';
import { actionsOn } from './actions.js';
import { behaviourOf, type BehaviourBody } from '../die/behaviour.js';
import { MessagePort } from '../die/message-port.js';
import type { ActionCodecs } from './codecs.js';
import { dieJson } from './json.js';
import { DieModel } from './model.js';
import type { DieStart } from './state.js';

/** Name and UUID do not fit one packet (docs/godice-protocol.md §9). */
const advertisement = encodeAdvertisingData([generalDiscoverable, ...completeUuids([NUS_SERVICE])]);

const scanResponse = (name: string): Buffer => encodeAdvertisingData(name === '' ? [] : [completeName(name)]);

/** A die on the air: connects its model with a peripheral. */
export class VirtualDie implements Device<ActionCodecs, BehaviourBody> {
  readonly peripheral: Peripheral;
  readonly actions: Actions<ActionCodecs>;
  private readonly state: DieModel;
  private readonly port: MessagePort;

  /** `name` has at most 29 bytes; it is empty for a die without one. */
  constructor(
    name: string,
    start: DieStart,
    private readonly context: Context,
  ) {
    this.port = new MessagePort({ write: NUS_WRITE, notify: NUS_NOTIFY }, context, (value) =>
      this.state.write(value),
    );
    this.peripheral = context.createPeripheral({
      name,
      services: [{ uuid: NUS_SERVICE, characteristics: this.port.characteristics }],
      onConnect: () => this.update(),
      onDisconnect: () => this.state.linkEnded(),
    });
    this.state = new DieModel(start, {
      time: context.time,
      notify: (notification) => void this.port.send(encodeNotification(notification)),
      dropLink: () => this.peripheral.disconnect(),
      changed: () => this.update(),
    });
    const { rng } = context;
    this.actions = actionsOn({ model: this.state, rng, send: (value) => this.port.send(value) });
    this.update();
  }

  model(): JsonRecord {
    return { ...dieJson(this.state.state), subscribed: this.port.subscribed };
  }

  setBehaviour(behaviour: BehaviourBody): void {
    this.state.setBehaviour(behaviourOf(behaviour));
  }

  close(): void {
    this.state.close();
  }

  private update(): void {
    const { peripheral, state } = this;
    if (!state.keepsLinks) peripheral.disconnect();
    if (state.awake) peripheral.advertise(advertisement, scanResponse(peripheral.name));
    else peripheral.stopAdvertising();
    this.context.changed();
  }
}
