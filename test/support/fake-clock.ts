/** A clock for the fake radio that does exactly what a test tells it, at once. */
import * as E from 'fp-ts/lib/Either.js';
import type { BleError } from '../../src/ble/ports.js';
import {
  ALARM_PACKETS,
  ALARMS_IN_PACKET,
  AUDIO_BLOCK,
  AUTH_NOTIFY,
  AUTH_WRITE,
  BATTERY_LEVEL,
  channelOf,
  CLOCK_NAME,
  DATA_NOTIFY,
  decodeCommand,
  decodeSettings,
  encodeBattery,
  encodeNotification,
  encodeReading,
  encodeReadingAdvertisement,
  isAcknowledged,
  opcodeOf,
  READING_NOTIFY,
  READING_SERVICE_DATA,
  type Alarm,
  type Command,
  type CommandTag,
  type Notification,
  type Reading,
} from '../../src/clock/protocol/index.js';
import { FakeDevice, type Said } from './fake-device.js';

/** Volume 3, English, 24 h, °C, +12:00, night 22:00 to 07:00; bytes without a known meaning are not 0. */
export const RECORD = Buffer.from('035802a9780fa51600070001015a01020304', 'hex');

export type WrongToken = 'silence' | 'drop' | 'reject';

export class FakeClock extends FakeDevice {
  name: string | null = CLOCK_NAME;
  rssi: number | null = -60;
  reading: Reading = { temperature: 21.5, humidity: 43.2 };
  /** Advertised, per cent; null: old firmware. */
  battery: number | null = 85;
  /** False: only the other of its two advertisements. */
  advertisesReading = true;
  /** The token it is bound to. */
  bound: Buffer | undefined;
  wrongToken: WrongToken = 'silence';
  /** Commands that it does not answer, that it refuses, and whose writes wait until `release`. */
  silent = new Set<CommandTag>();
  refuses = new Set<CommandTag>();
  holds = new Set<CommandTag>();
  commands: Command[] = [];
  /** Told of each command before the clock does anything about it. */
  heard: (command: Command) => void = () => undefined;
  record = RECORD;
  alarms = new Map<number, Alarm>();
  alarmPackets = ALARM_PACKETS;
  firmware = '1.0.1_0130';
  gattBattery = 99;
  /** What it offers notifications of the battery level, and whether it refuses a subscription to it. */
  notifiesBattery = true;
  refusesBattery = false;
  /** The blocks of the last upload. */
  audio: Buffer[] = [];
  private expectedBlocks = 0;
  private authenticated = false;
  private readonly listeners = new Map<string, (value: Buffer) => void>();

  get advertisement(): Said {
    const { address, name, rssi, reading, battery } = this;
    const data = encodeReadingAdvertisement({
      address,
      ...reading,
      battery,
      header: 0x88,
      batteryFlag: false,
    });
    return {
      address,
      name,
      rssi,
      connectable: true,
      serviceUuids: [],
      serviceData: this.advertisesReading ? [{ uuid: READING_SERVICE_DATA, data }] : [],
    };
  }

  sent(tag: CommandTag): readonly Command[] {
    return this.commands.filter(({ _tag }) => _tag === tag);
  }

  /** The signature of the tone in use. */
  get ringtone(): string {
    const settings = decodeSettings(this.record);
    return E.isRight(settings) ? settings.right.ringtone : '';
  }

  say(characteristic: string, bytes: Buffer): void {
    this.listeners.get(characteristic)?.(bytes);
  }

  measure(reading: Reading): void {
    this.reading = reading;
    this.say(READING_NOTIFY, encodeReading(reading));
  }

  charge(level: number): void {
    this.say(BATTERY_LEVEL, encodeBattery(level));
  }

  override notifies(characteristic: string): boolean {
    return characteristic !== BATTERY_LEVEL || this.notifiesBattery;
  }

  override release(): void {
    this.holds.clear();
    super.release();
  }

  override async read(characteristic: string): Promise<E.Either<BleError, Buffer>> {
    await Promise.resolve();
    return characteristic === BATTERY_LEVEL
      ? E.right(encodeBattery(this.gattBattery))
      : E.left(this.refusal('read'));
  }

  async subscribed(
    characteristic: string,
    listener: (value: Buffer) => void,
  ): Promise<E.Either<BleError, void>> {
    await Promise.resolve();
    const refused = characteristic === BATTERY_LEVEL && (this.refusesBattery || !this.notifiesBattery);
    if (refused) return E.left(this.refusal('subscription'));
    this.listeners.set(characteristic, listener);
    return E.right(undefined);
  }

  async written(characteristic: string, value: Buffer): Promise<E.Either<BleError, void>> {
    await Promise.resolve();
    const decoded = decodeCommand(characteristic === AUTH_WRITE ? 'auth' : 'data', value);
    if (E.isLeft(decoded)) return E.left(this.refusal('write'));
    const command = decoded.right;
    this.commands.push(command);
    this.heard(command);
    this.radio.changed();
    if (this.holds.has(command._tag)) await this.hold(undefined);
    if (!this.silent.has(command._tag)) this.obey(command);
    return E.right(undefined);
  }

  protected unlinked(): void {
    this.authenticated = false;
    this.listeners.clear();
  }

  private obey(command: Command): void {
    if (command._tag === 'AuthInit') {
      this.ack(command, 2);
    } else if (command._tag === 'AuthConfirm') {
      this.bound ??= Buffer.from(command.token);
      this.authenticated = this.bound.equals(command.token);
      this.ack(command, this.authenticated || this.wrongToken !== 'reject' ? 0 : 1);
    } else if (this.authenticated) {
      this.answer(command);
    } else if (this.wrongToken === 'drop') {
      this.lose(0x13);
    }
  }

  private answer(command: Exclude<Command, { _tag: 'AuthInit' | 'AuthConfirm' }>): void {
    if (this.refuses.has(command._tag)) {
      this.ack(command, 1);
      return;
    }
    switch (command._tag) {
      case 'ReadFirmware':
        this.notify(AUTH_NOTIFY, { _tag: 'Firmware', version: this.firmware, second: 0x0d });
        return;
      case 'ReadSettings':
        this.notify(DATA_NOTIFY, { _tag: 'Settings', record: this.record });
        return;
      case 'ReadAlarms':
        for (let packet = 0; packet < this.alarmPackets; packet++) this.sayAlarms(packet * ALARMS_IN_PACKET);
        return;
      case 'WriteSettings':
        this.record = Buffer.from(command.record);
        break;
      case 'SetAlarm':
        this.alarms.set(command.slot, command.alarm);
        break;
      case 'DeleteAlarm':
        this.alarms.delete(command.slot);
        break;
      case 'AudioInit':
        this.audio = [];
        this.expectedBlocks = Math.ceil(command.size / AUDIO_BLOCK);
        break;
      case 'AudioBlock':
        this.audio.push(command.data);
        if (!isAcknowledged(this.audio.length - 1, this.expectedBlocks)) return;
        break;
      case 'SetTime':
      case 'SetBrightness':
      case 'PreviewRingtone':
        break;
    }
    this.ack(command, 0);
  }

  private sayAlarms(base: number): void {
    const alarms = Array.from({ length: ALARMS_IN_PACKET }, (_, n) => this.alarms.get(base + n) ?? null);
    this.notify(DATA_NOTIFY, { _tag: 'AlarmPacket', base, alarms });
  }

  private ack(command: Command, y: number): void {
    const characteristic = channelOf(command) === 'auth' ? AUTH_NOTIFY : DATA_NOTIFY;
    this.notify(characteristic, { _tag: 'Ack', opcode: opcodeOf(command), x: 0, y });
  }

  private notify(characteristic: string, notification: Notification): void {
    this.say(characteristic, encodeNotification(notification));
  }
}
