import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type { ActionCodecs, Actions, Context, Device } from '../device.js';
import type { Peripheral } from '../../peripheral/index.js';
import type { ActedOn } from './actions.js';
import type { DieBehaviour } from './behaviour.js';
import { MessagePort } from './message-port.js';

/** A die without its radio. */
interface Model {
  /** Whether it advertises while no host is connected. */
  readonly awake: boolean;
  readonly keepsLinks: boolean;
  /** Handles bytes written by the host. */
  write(bytes: Buffer): void;
  linkEnded(): void;
  setBehaviour(behaviour: DieBehaviour): void;
  /** Cancels all timers. */
  close(): void;
}

/** The air as a model needs it. */
export interface OnAir {
  /** False if no host has subscribed. */
  readonly send: (value: Buffer) => boolean;
  readonly dropLink: () => void;
  /** Something in the state of the model is another. */
  readonly changed: () => void;
}

export interface VirtualDieOptions<M extends Model, C extends ActionCodecs> {
  readonly context: Context;
  readonly uuids: { readonly service: string; readonly write: string; readonly notify: string };
  /** The model must not call these functions before it is made. */
  readonly makeModel: (onAir: OnAir) => M;
  /** At most 31 bytes; empty for a die without one. */
  readonly nameOf: (model: M) => string;
  /** Both packets, at most 31 bytes each. */
  readonly payloadOf: (model: M) => readonly [advertisement: Buffer, scanResponse: Buffer];
  readonly actionsOn: (actedOn: ActedOn<M>) => Actions<C>;
  readonly json: (model: M) => JsonRecord;
  /** The largest ATT_MTU that it agrees to; the peripheral's if left out, as the next. */
  readonly maxMtu?: number;
  readonly intervalMs?: number;
}

/** A die of any maker on the air: connects its model with a peripheral. */
export const virtualDie = <M extends Model, C extends ActionCodecs>(
  options: VirtualDieOptions<M, C>,
): Device<C, DieBehaviour> => {
  const { context, uuids, makeModel, nameOf, payloadOf, actionsOn, json, maxMtu, intervalMs } = options;
  const port = new MessagePort(uuids, context, (value) => model.write(value));
  const update = (): void => {
    if (!model.keepsLinks) peripheral.disconnect();
    if (model.awake) peripheral.advertise(...payloadOf(model));
    else peripheral.stopAdvertising();
    context.changed();
  };
  const send = (value: Buffer): boolean => port.send(value);
  const model = makeModel({ send, dropLink: () => peripheral.disconnect(), changed: update });
  const peripheral: Peripheral = context.createPeripheral({
    name: nameOf(model),
    ...(intervalMs !== undefined && { intervalMs }),
    services: [{ uuid: uuids.service, characteristics: port.characteristics }],
    onConnect: update,
    onDisconnect: () => {
      model.linkEnded();
      peripheral.rename(nameOf(model));
    },
  });
  if (maxMtu !== undefined) peripheral.limitMtu(maxMtu);
  update();
  return {
    peripheral,
    model: () => ({ ...json(model), subscribed: port.subscribed }),
    actions: actionsOn({ model, rng: context.rng, send }),
    setBehaviour: (behaviour) => model.setBehaviour(behaviour),
    close: () => model.close(),
  };
};
