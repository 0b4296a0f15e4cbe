/** A die for the fake radio: the model of the virtual one, without delays, controlled by the test. */
import * as E from 'fp-ts/lib/Either.js';
import { USUAL_BEHAVIOUR } from '../../simulators/devices/any-die/behaviour.js';
import { DieModel } from '../../simulators/devices/godice/model.js';
import type { DieStart } from '../../simulators/devices/godice/state.js';
import type { Address, BleError } from '../../src/ble/ports.js';
import {
  decodeCommand,
  encodeNotification,
  NUS_NOTIFY,
  NUS_SERVICE,
  NUS_WRITE,
  type Command,
  type Notification,
} from '../../src/protocols/godice/index.js';
import { CommandedDevice, type DeviceAdvertisement } from './fake-device.js';
import { manualTime } from './manual-time.js';

export interface DieScript {
  readonly name?: string | null;
  readonly rssi?: number | null;
  readonly serviceUuids?: readonly string[];
  readonly advertised?: boolean;
}

const START: DieStart = {
  colour: 'red',
  batteryLevel: 80,
  charging: false,
  // On the 3 of a d6.
  resting: { x: 1, y: 63, z: -2 },
  asleep: false,
  behaviour: USUAL_BEHAVIOUR,
};

/** The default notifications after the initialisation. */
export const BURST: readonly Notification[] = [
  { _tag: 'Battery', level: START.batteryLevel },
  { _tag: 'Stable', acceleration: START.resting },
  { _tag: 'Charging', on: START.charging },
];

export class FakeDie extends CommandedDevice<Command> {
  readonly name: string | null;
  readonly rssi: number | null;
  readonly serviceUuids: readonly string[];
  /** The failures of commands. */
  refuses = new Map<Command['_tag'], BleError>();
  /** Notifications after the initialisation in place of its state. */
  burst: readonly Notification[] | undefined;
  silent = new Set<Command['_tag']>();
  readonly model = new DieModel(START, {
    time: manualTime(),
    notify: (notification) => this.say(notification),
    dropLink: () => undefined,
    changed: () => undefined,
  });
  private listener: ((value: Buffer) => void) | undefined;

  constructor(
    address: Address,
    radio: { changed(): void },
    { name = 'GoDice_1A2B3C_R_v04', rssi = -60, serviceUuids = [NUS_SERVICE] }: DieScript,
  ) {
    super(address, radio);
    this.name = name;
    this.rssi = rssi;
    this.serviceUuids = serviceUuids;
  }

  get advertisement(): DeviceAdvertisement {
    const { address, name, rssi, serviceUuids } = this;
    return { address, name, rssi, serviceUuids, connectable: true, manufacturerData: null, serviceData: [] };
  }

  /** Notifies; without a link it does nothing. */
  say(...notifications: readonly Notification[]): void {
    for (const notification of notifications) this.sayBytes(encodeNotification(notification));
  }

  sayBytes(bytes: Buffer): void {
    this.listener?.(bytes);
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
    await this.receive(right);
    const refusal = this.refuses.get(right._tag);
    if (refusal !== undefined) return E.left(refusal);
    if (right._tag === 'Initialise' && this.burst !== undefined) this.say(...this.burst);
    else if (!this.silent.has(right._tag)) this.model.write(value);
    return E.right(undefined);
  }

  protected unlinked(): void {
    this.listener = undefined;
    this.model.linkEnded();
  }
}
