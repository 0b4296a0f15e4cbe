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
import { ackOf, first, openExchanges } from './requests.js';
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

const settings = first((notification) => (notification._tag === 'Settings' ? notification.record : null));

/**
 * Commands are to be sent one after another. Left `NoAnswer` without a response in time, which ends the link; `Refused` if the
 * clock says that the command failed, which keeps it. `name`: the name of the command in these errors.
 */
const commandsOn = (
  link: Link,
  { send, exchange, ask }: ReturnType<typeof openExchanges>,
  time: TimeSource,
) => ({
  link,
  /** Sends a command; resolves when the clock has acknowledged the write. */
  send,
  /** Sends a command and waits for its ACK. */
  execute: (name: string, command: Command) => ask(name, command, ackOf(command)),
  /** Sends a command and waits for its ACK. `unanswered` within `ms` leaves the link as it is. */
  acknowledged: (command: Command, ms: number) => exchange(command, ackOf(command), ms),
  /** The settings; `unanswered` leaves the link as it is. */
  record: exchange({ _tag: 'ReadSettings' }, settings),
  settings: (name: string) => ask(name, { _tag: 'ReadSettings' }, settings),
  firmware: ask(
    'read_firmware',
    { _tag: 'ReadFirmware' },
    first((notification) => (notification._tag === 'Firmware' ? notification.version : null)),
  ),
  /** In slot order, set ones only. */
  alarms: ask<readonly SetAlarm[]>('read_alarms', { _tag: 'ReadAlarms' }, (respond) =>
    collectAlarms(time, respond),
  ),
  /** Per cent, as the battery service has it. */
  battery: pipe(
    link.read(BATTERY_LEVEL),
    TE.chainEitherKW((bytes) =>
      pipe(
        decodeBattery(bytes),
        E.mapLeft(({ message: reason }): DeviceError => ({
          _tag: 'BadAnswer',
          address: link.address,
          reason,
        })),
      ),
    ),
  ),
});

export interface AlarmClock extends ReturnType<typeof commandsOn> {
  /** Delivers all readings to `listener`, first the last one so far; to be called once. */
  readonly listen: (listener: (reading: Reading) => void) => void;
}

/** Subscribes to a clock. Left: the link has ended, or the clock refuses a subscription that it must accept. */
export const openClock = (
  link: Link,
  { time, log, answerMs, onBattery }: ClockOptions,
): TE.TaskEither<BleError, AlarmClock> => {
  const { address } = link;
  const exchanges = openExchanges({ link, time, log, answerMs });
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
        exchanges.receive(channel, notification);
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
    TE.map(() => ({
      ...commandsOn(link, exchanges, time),
      listen: (listener) => {
        deliver = listener;
        if (last !== undefined) listener(last);
      },
    })),
  );
};
