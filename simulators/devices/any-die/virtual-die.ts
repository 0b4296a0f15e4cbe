import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { hexText } from '../../../src/bytes/index.js';
import type { ActionCodecs, Actions, Context, Device } from '../device.js';
import type { Peripheral, PeripheralCharacteristic } from '../../peripheral/index.js';
import type { ActedOn } from './actions.js';
import type { DieBehaviour } from './behaviour.js';
import type { CommonDieModel, CommonFields, ModelContext } from './model.js';

/** A die without its radio. */
type Model = Pick<
  CommonDieModel<CommonFields, unknown>,
  'awake' | 'keepsLinks' | 'write' | 'linkEnded' | 'setBehaviour' | 'close'
>;

export interface VirtualDieOptions<M extends Model, Notification, C extends ActionCodecs> {
  readonly context: Context;
  readonly uuids: { readonly service: string; readonly write: string; readonly notify: string };
  readonly encode: (notification: Notification) => Buffer;
  /** The model must not call the functions of its context before it is made. */
  readonly makeModel: (context: ModelContext<Notification>) => M;
  /** At most 31 bytes; empty for a die without a name. */
  readonly nameOf: (model: M) => string;
  /** Both packets, at most 31 bytes each. */
  readonly payloadOf: (model: M) => readonly [advertisement: Buffer, scanResponse: Buffer];
  readonly actionsOn: (actedOn: ActedOn<M>) => Actions<C>;
  readonly json: (model: M) => JsonRecord;
  /** The largest ATT_MTU of the die; the peripheral's if left out. */
  readonly maxMtu?: number;
  /** The advertising interval; the peripheral's if left out. */
  readonly intervalMs?: number;
}

const SUCCESS = 0;

/** A die of any maker on the air: connects its model with a peripheral. */
export const virtualDie = <M extends Model, Notification, C extends ActionCodecs>(
  options: VirtualDieOptions<M, Notification, C>,
): Device<C, DieBehaviour> => {
  const { context, uuids, encode, makeModel, nameOf, payloadOf, actionsOn, json, maxMtu, intervalMs } =
    options;
  const { time, happened } = context;
  let subscriber: ((value: Buffer) => void) | undefined;
  const subscribe = (notify: typeof subscriber): void => {
    subscriber = notify;
    context.changed();
  };
  const send = (value: Buffer): boolean => {
    if (subscriber === undefined) return false;
    subscriber(value);
    happened(() => ({ type: 'notified', hex: hexText(value) }));
    return true;
  };
  const writable: PeripheralCharacteristic = {
    uuid: uuids.write,
    properties: ['write', 'writeWithoutResponse'],
    onWrite: (value) => {
      happened(() => ({ type: 'written', hex: hexText(value) }));
      return SUCCESS;
    },
    onWritten: (value) => model.write(value),
  };
  const notifying: PeripheralCharacteristic = {
    uuid: uuids.notify,
    properties: ['notify'],
    onSubscribe: subscribe,
    onUnsubscribe: () => subscribe(undefined),
  };
  const update = (): void => {
    if (!model.keepsLinks) peripheral.disconnect();
    if (model.awake) peripheral.advertise(...payloadOf(model));
    else peripheral.stopAdvertising();
    context.changed();
  };
  const model = makeModel({
    time,
    notify: (notification) => void send(encode(notification)),
    dropLink: () => peripheral.disconnect(),
    changed: update,
  });
  const peripheral: Peripheral = context.createPeripheral({
    name: nameOf(model),
    ...(intervalMs !== undefined && { intervalMs }),
    services: [{ uuid: uuids.service, characteristics: [writable, notifying] }],
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
    model: () => ({ ...json(model), subscribed: subscriber !== undefined }),
    actions: actionsOn({ model, rng: context.rng, send }),
    setBehaviour: (behaviour) => model.setBehaviour(behaviour),
    close: () => model.close(),
  };
};
