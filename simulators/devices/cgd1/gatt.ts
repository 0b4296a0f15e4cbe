import { hexText } from '../../../src/bytes/index.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import {
  AUTH_NOTIFY,
  AUTH_WRITE,
  BATTERY_LEVEL,
  BATTERY_SERVICE,
  CLOCK_SERVICE,
  DATA_NOTIFY,
  DATA_WRITE,
  READING_NOTIFY,
  encodeBattery,
  encodeNotification,
  encodeReading,
  paddedUuid,
  type Channel,
  type Notification,
  type Reading,
} from '../../../src/protocols/cgd1/index.js';
import type { AttStatus, PeripheralCharacteristic, PeripheralOptions } from '../../peripheral/index.js';

export interface GattContext {
  readonly mtu: () => number;
  readonly written: (channel: Channel, value: Buffer) => void;
  readonly onReadingSubscribed: () => void;
  /** The level of the battery service, per cent. */
  readonly batteryLevel: () => number;
  readonly changed: () => void;
  readonly happened: (event: () => JsonRecord) => void;
}

const SUCCESS: AttStatus = 0x00;
const INVALID_LENGTH: AttStatus = 0x0d;

/** ATT's part of a write (Core 5.4 Vol 3 Part F 3.4.5.1). */
const WRITE_HEADER = 3;

const notifyUuids: Readonly<Record<Channel, string>> = { auth: AUTH_NOTIFY, data: DATA_NOTIFY };

/** The services of a clock (docs/cgd1-protocol.md §2), and the subscriptions of its host. UUIDs have 4 digits. */
export class ClockGatt {
  private readonly subscriptions = new Map<string, (value: Buffer) => void>();

  constructor(private readonly context: GattContext) {}

  get services(): PeripheralOptions['services'] {
    const characteristics = [
      this.writable(AUTH_WRITE, 'auth'),
      this.notifying(AUTH_NOTIFY),
      this.writable(DATA_WRITE, 'data'),
      this.notifying(DATA_NOTIFY),
      this.notifying(READING_NOTIFY, this.context.onReadingSubscribed),
    ];
    const batteryLevel: PeripheralCharacteristic = {
      ...this.notifying(BATTERY_LEVEL),
      properties: ['read', 'notify'],
      onRead: () => encodeBattery(this.context.batteryLevel()),
    };
    return [
      { uuid: CLOCK_SERVICE, characteristics },
      { uuid: BATTERY_SERVICE, characteristics: [batteryLevel] },
    ];
  }

  get subscribed(): readonly string[] {
    return [...this.subscriptions.keys()];
  }

  notify(channel: Channel, notification: Notification): void {
    this.send(notifyUuids[channel], encodeNotification(notification));
  }

  /** False if no host has subscribed. */
  notifyReading(reading: Reading): boolean {
    return this.send(READING_NOTIFY, encodeReading(reading));
  }

  notifyBattery(level: number): void {
    this.send(BATTERY_LEVEL, encodeBattery(level));
  }

  /** Notifies raw bytes; false if no host has subscribed. */
  send(uuid: string, value: Buffer): boolean {
    const characteristic = paddedUuid(uuid);
    const notify = this.subscriptions.get(characteristic);
    if (notify === undefined) return false;
    notify(value);
    this.context.happened(() => ({ type: 'notified', characteristic, hex: hexText(value) }));
    return true;
  }

  private writable(uuid: string, channel: Channel): PeripheralCharacteristic {
    const characteristic = paddedUuid(uuid);
    return {
      uuid: characteristic,
      properties: ['write'],
      onWrite: (value) => {
        // The clock refuses long writes: values that one packet cannot carry.
        const fits = value.length <= this.context.mtu() - WRITE_HEADER;
        const type = fits ? 'written' : 'refused';
        this.context.happened(() => ({ type, characteristic, hex: hexText(value) }));
        return fits ? SUCCESS : INVALID_LENGTH;
      },
      onWritten: (value) => this.context.written(channel, value),
    };
  }

  private notifying(uuid: string, subscribed?: () => void): PeripheralCharacteristic {
    const characteristic = paddedUuid(uuid);
    return {
      uuid: characteristic,
      properties: ['notify'],
      onSubscribe: (notify) => {
        this.subscriptions.set(characteristic, notify);
        this.context.changed();
        if (subscribed !== undefined) queueMicrotask(subscribed);
      },
      onUnsubscribe: () => {
        this.subscriptions.delete(characteristic);
        this.context.changed();
      },
    };
  }
}
