/** A clock for the fake radio: the model of the virtual one, without delays, controlled by the test. */
import * as E from 'fp-ts/lib/Either.js';
import { USUAL_BEHAVIOUR, type ClockBehaviour } from '../../simulators/devices/cgd1/behaviour.js';
import { FACTORY_FIRMWARE, FACTORY_TIME } from '../../simulators/devices/cgd1/factory.js';
import { ClockModel } from '../../simulators/devices/cgd1/model.js';
import type { ClockStart, ClockState } from '../../simulators/devices/cgd1/state.js';
import type { BleError } from '../../src/ble/ports.js';
import {
  AUTH_NOTIFY,
  AUTH_WRITE,
  BATTERY_LEVEL,
  CLOCK_NAME,
  DATA_NOTIFY,
  decodeCommand,
  encodeBattery,
  encodeCommand,
  encodeNotification,
  encodeReading,
  encodeReadingAdvertisement,
  READING_NOTIFY,
  READING_SERVICE_DATA,
  type Channel,
  type Command,
  type Notification,
  type Reading,
} from '../../src/protocols/cgd1/index.js';
import { CommandedDevice, type DeviceAdvertisement } from './fake-device.js';
import { manualTime } from './manual-time.js';

/** Volume 3, English, 24 h, °C, +12:00, night 22:00 to 07:00; bytes without a known meaning are not 0. */
export const RECORD = Buffer.from('035802a9780fa51600070001015a01020304', 'hex');

const START: ClockStart = {
  reading: { temperature: 21.5, humidity: 43.2 },
  battery: 85,
  firmware: FACTORY_FIRMWARE,
  time: FACTORY_TIME,
  token: null,
  alarms: [],
  record: RECORD,
  behaviour: USUAL_BEHAVIOUR,
};

/** The reason when the clock ends the link (HCI, remote user terminated connection). */
const DROPPED = 0x13;

export class FakeClock extends CommandedDevice<Command> {
  name: string | null = CLOCK_NAME;
  rssi: number | null = -60;
  /** False: old firmware. */
  advertisesBattery = true;
  /** False: only the other of its two advertisements. */
  advertisesReading = true;
  /** The level of its battery service, if it is not the level of the model. */
  gattBattery: number | undefined;
  /** Whether it offers notifications of the battery level, and whether it refuses a subscription to it. */
  notifiesBattery = true;
  refusesBattery = false;
  private model = this.modelOf(START);
  private readonly listeners = new Map<string, (value: Buffer) => void>();

  get state(): ClockState {
    return this.model.state;
  }

  get advertisement(): DeviceAdvertisement {
    const { address, name, rssi, advertisesBattery } = this;
    const { reading, battery } = this.state;
    const data = encodeReadingAdvertisement({
      ...{ address, ...reading, header: 0x88, batteryFlag: false },
      battery: advertisesBattery ? battery : null,
    });
    return {
      address,
      name,
      rssi,
      connectable: true,
      serviceUuids: [],
      manufacturerData: null,
      serviceData: this.advertisesReading ? [{ uuid: READING_SERVICE_DATA, data }] : [],
    };
  }

  behave(changes: Partial<ClockBehaviour>): void {
    this.model.setBehaviour({ ...this.state.behaviour, ...changes });
  }

  /** Changes the state; an authenticated host stays authenticated unless the token changes. */
  become(changes: Partial<ClockStart>): void {
    const { authenticated, token } = this.state;
    this.model.close();
    const model = this.modelOf({ ...this.state, ...changes });
    if (authenticated && token !== null) model.write('auth', encodeCommand({ _tag: 'AuthConfirm', token }));
    this.model = model;
  }

  /** The blocks of the last upload. */
  get audio(): readonly Buffer[] {
    const start = this.commands.findLastIndex(({ _tag }) => _tag === 'AudioInit');
    return this.commands
      .slice(start + 1)
      .flatMap((command) => (command._tag === 'AudioBlock' ? [command.data] : []));
  }

  say(characteristic: string, bytes: Buffer): void {
    this.listeners.get(characteristic)?.(bytes);
  }

  measure(reading: Reading): void {
    this.model.measure(reading);
    this.say(READING_NOTIFY, encodeReading(reading));
  }

  charge(level: number): void {
    this.say(BATTERY_LEVEL, encodeBattery(level));
  }

  override notifies(characteristic: string): boolean {
    return characteristic !== BATTERY_LEVEL || this.notifiesBattery;
  }

  override async read(characteristic: string): Promise<E.Either<BleError, Buffer>> {
    await Promise.resolve();
    return characteristic === BATTERY_LEVEL
      ? E.right(encodeBattery(this.gattBattery ?? this.model.gattBattery))
      : E.left(this.refusal('read'));
  }

  async subscribed(
    characteristic: string,
    listener: (value: Buffer) => void,
  ): Promise<E.Either<BleError, void>> {
    await Promise.resolve();
    const refuses = characteristic === BATTERY_LEVEL && (this.refusesBattery || !this.notifiesBattery);
    if (refuses) return E.left(this.refusal('subscription'));
    this.listeners.set(characteristic, listener);
    return E.right(undefined);
  }

  async written(characteristic: string, value: Buffer): Promise<E.Either<BleError, void>> {
    await Promise.resolve();
    const channel: Channel = characteristic === AUTH_WRITE ? 'auth' : 'data';
    const decoded = decodeCommand(channel, value);
    if (E.isLeft(decoded)) return E.left(this.refusal('write'));
    const command = decoded.right;
    await this.receive(command);
    this.model.write(channel, value);
    return E.right(undefined);
  }

  protected unlinked(): void {
    this.model.linkEnded();
    this.listeners.clear();
  }

  private modelOf(start: ClockStart): ClockModel {
    const model: ClockModel = new ClockModel(start, {
      time: manualTime(),
      notify: (channel, notification) => {
        if (model === this.model) this.notify(channel, notification);
      },
      dropLink: () => this.lose(DROPPED),
      changed: () => undefined,
      happened: () => undefined,
    });
    return model;
  }

  private notify(channel: Channel, notification: Notification): void {
    this.say(channel === 'auth' ? AUTH_NOTIFY : DATA_NOTIFY, encodeNotification(notification));
  }
}
