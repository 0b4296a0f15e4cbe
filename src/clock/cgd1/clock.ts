/** One connected clock, for as long as its link lasts: commands out, responses and readings in. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { DeviceError } from '../../devices/device-error.js';
import type { BleError, Link } from '../../ble/ports.js';
import type { TimeSource } from '../../async/time.js';
import { decodedBy } from '../../devices/notifications.js';
import { collectAlarms, type SetAlarm } from './alarms.js';
import { ackOf, first, openExchanges, type NoResponse } from './requests.js';
import {
  AUTH_NOTIFY,
  AUTH_WRITE,
  BATTERY_LEVEL,
  BATTERY_SERVICE,
  CLOCK_SERVICE,
  DATA_NOTIFY,
  DATA_WRITE,
  decodeBattery,
  decodeNotification,
  decodeReading,
  READING_NOTIFY,
  type Channel,
  type Command,
  type Reading,
  type SettingsRecord,
} from './protocol/index.js';

export const CLOCK_PROFILE = [
  {
    service: CLOCK_SERVICE,
    characteristics: [AUTH_WRITE, AUTH_NOTIFY, DATA_WRITE, DATA_NOTIFY, READING_NOTIFY],
  },
  { service: BATTERY_SERVICE, characteristics: [BATTERY_LEVEL] },
];

export interface ClockOptions {
  readonly time: TimeSource;
  readonly log: Logger;
  /** How long a response may take once the command is written, ms. */
  readonly answerMs: number;
  /** Called with each level that the battery service notifies, per cent. */
  readonly onBattery: (level: number) => void;
}

/**
 * Commands are to be sent one after another. Left `NoAnswer` without a response in time, which ends the link; `Refused` if the
 * clock says that the command failed, which keeps it. `name`: the name of the command in these errors.
 */
export interface AlarmClock {
  readonly link: Link;
  /** Sends a command; resolves when the clock has acknowledged the write. */
  readonly send: (command: Command) => TE.TaskEither<BleError, void>;
  /** Sends a command and waits for its ACK. */
  readonly execute: (name: string, command: Command) => TE.TaskEither<DeviceError, void>;
  /** Sends a command and waits for its ACK. `unanswered` within `ms` leaves the link as it is. */
  readonly acknowledged: (command: Command, ms: number) => TE.TaskEither<BleError | NoResponse, void>;
  /** The settings; `unanswered` leaves the link as it is. */
  readonly record: TE.TaskEither<BleError | NoResponse, SettingsRecord>;
  readonly settings: (name: string) => TE.TaskEither<DeviceError, SettingsRecord>;
  readonly firmware: TE.TaskEither<DeviceError, string>;
  /** In slot order, set ones only. */
  readonly alarms: TE.TaskEither<DeviceError, readonly SetAlarm[]>;
  /** Per cent, as the battery service has it. */
  readonly battery: TE.TaskEither<DeviceError, number>;
  /** Delivers all readings to `listener`, first the last one so far; to be called once. */
  readonly listen: (listener: (reading: Reading) => void) => void;
}

/** Subscribes to a clock. Left: the link has ended, or the clock refuses a subscription that it must accept. */
export const openClock = (
  link: Link,
  { time, log, answerMs, onBattery }: ClockOptions,
): TE.TaskEither<BleError, AlarmClock> => {
  const { address } = link;
  const { send, exchange, ask, receive } = openExchanges({ link, time, log, answerMs });
  let last: Reading | undefined;
  let deliver = (reading: Reading): void => {
    last = reading;
  };

  const logged = { log, address };

  const notified = (channel: Channel): ((bytes: Buffer) => void) =>
    decodedBy(
      (bytes) => decodeNotification(channel, bytes),
      logged,
      (notification) => {
        log.debug({ address, channel, notification }, 'from a clock');
        receive(channel, notification);
      },
    );

  /** Optional: a clock without it, or that refuses it, is connected anyway. */
  const followBattery: TE.TaskEither<BleError, void> = link.notifies(BATTERY_LEVEL)
    ? pipe(
        link.subscribe(BATTERY_LEVEL, decodedBy(decodeBattery, logged, onBattery)),
        TE.orElse((cause) => {
          if (cause._tag !== 'GattFailed') return TE.left(cause);
          log.info({ address, cause }, 'a clock does not report its battery level');
          return TE.right(undefined);
        }),
      )
    : TE.right(undefined);

  const settings = first((notification) => (notification._tag === 'Settings' ? notification.record : null));

  const device: AlarmClock = {
    link,
    send,
    execute: (name, command) => ask(name, command, ackOf(command)),
    acknowledged: (command, ms) => exchange(command, ackOf(command), ms),
    record: exchange({ _tag: 'ReadSettings' }, settings),
    settings: (name) => ask(name, { _tag: 'ReadSettings' }, settings),
    firmware: ask(
      'read_firmware',
      { _tag: 'ReadFirmware' },
      first((notification) => (notification._tag === 'Firmware' ? notification.version : null)),
    ),
    alarms: ask<readonly SetAlarm[]>('read_alarms', { _tag: 'ReadAlarms' }, (respond) =>
      collectAlarms(time, respond),
    ),
    battery: pipe(
      link.read(BATTERY_LEVEL),
      TE.chainEitherKW((bytes) =>
        pipe(
          decodeBattery(bytes),
          E.mapLeft(({ message: reason }): DeviceError => ({ _tag: 'BadAnswer', address, reason })),
        ),
      ),
    ),
    listen: (listener) => {
      deliver = listener;
      if (last !== undefined) listener(last);
    },
  };

  return pipe(
    link.subscribe(AUTH_NOTIFY, notified('auth')),
    TE.chain(() => link.subscribe(DATA_NOTIFY, notified('data'))),
    TE.chain(() =>
      link.subscribe(
        READING_NOTIFY,
        decodedBy(decodeReading, logged, (reading) => deliver(reading)),
      ),
    ),
    TE.chain(() => followBattery),
    TE.map(() => device),
  );
};
