import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { encodeNotification, profileIds } from '../../src/dice/drivers/pixels/protocol/index.js';
import type { Actions, Context, Device } from '../device.js';
import { behaviourOf, type BehaviourBody } from '../die/behaviour.js';
import { MessagePort } from '../die/message-port.js';
import type { Peripheral } from '../peripheral/index.js';
import { actionsOn } from './actions.js';
import { advertisementOf, scanResponseOf } from './advertising.js';
import type { ActionCodecs } from './codecs.js';
import { releaseOf } from './firmware.js';
import { pixelJson } from './json.js';
import { PixelModel } from './model.js';
import type { PixelStart } from './state.js';

/** The largest ATT_MTU of dice (docs/pixels-protocol.md §1). */
const MAX_MTU = 128;

/** Where the world does not know the signal strength, dBm. */
const USUAL_RSSI = -60;

/** A Pixels die on the air: connects its model with a peripheral. */
export class VirtualPixel implements Device<ActionCodecs, BehaviourBody> {
  readonly peripheral: Peripheral;
  readonly actions: Actions<ActionCodecs>;
  private readonly state: PixelModel;
  private readonly port: MessagePort;

  constructor(
    start: PixelStart,
    private readonly context: Context,
  ) {
    const { service, write, notify } = profileIds[releaseOf(start.firmware).profile];
    this.port = new MessagePort({ write, notify }, context, (value) => this.state.write(value));
    this.peripheral = context.createPeripheral({
      name: start.name,
      services: [{ uuid: service, characteristics: this.port.characteristics }],
      onConnect: () => this.update(),
      onDisconnect: () => {
        this.state.linkEnded();
        this.peripheral.rename(this.state.state.name);
      },
    });
    this.peripheral.limitMtu(MAX_MTU);
    const send = (value: Buffer): boolean => this.port.send(value);
    this.state = new PixelModel(start, {
      time: context.time,
      notify: (notification) => void send(encodeNotification(notification)),
      dropLink: () => this.peripheral.disconnect(),
      changed: () => this.update(),
      rssi: () => context.rssi() ?? USUAL_RSSI,
    });
    this.actions = actionsOn({ model: this.state, rng: context.rng, send });
    this.update();
  }

  model(): JsonRecord {
    return { ...pixelJson(this.state.state), subscribed: this.port.subscribed };
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
    if (state.awake)
      peripheral.advertise(advertisementOf(state.state, state.batteryState), scanResponseOf(state.state));
    else peripheral.stopAdvertising();
    this.context.changed();
  }
}
