/** One connected clock, for as long as its link lasts: commands out, responses and readings in. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { DeviceError } from '../ble/device-error.js';
import type { BleError, Link } from '../ble/ports.js';
import { request } from '../ble/request.js';
import type { Cancel, Clock } from '../time.js';
import { collectAlarms, type SetAlarm } from './alarms.js';
import {
  ackOutcome,
  AUTH_NOTIFY,
  AUTH_WRITE,
  BATTERY_LEVEL,
  BATTERY_SERVICE,
  channelOf,
  CLOCK_SERVICE,
  DATA_NOTIFY,
  DATA_WRITE,
  decodeBattery,
  decodeNotification,
  decodeReading,
  encodeCommand,
  isAckOf,
  READING_NOTIFY,
  type AckOutcome,
  type Channel,
  type Command,
  type Notification,
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
  readonly clock: Clock;
  readonly log: Logger;
  /** How long a response may take once the command is written, ms. */
  readonly answerMs: number;
  /** Called with each level that the battery service notifies, per cent. */
  readonly onBattery: (level: number) => void;
}

/**
 * Commands are to be sent one after another. Left `NoAnswer` without a response in time, which ends the link. `name`:
 * the name of the command in that error.
 */
export interface AlarmClock {
  readonly link: Link;
  /** Sends a command; resolves when the clock has acknowledged the write. */
  readonly send: (command: Command) => TE.TaskEither<BleError, void>;
  /** Sends a command and waits for its ACK. Left `Refused` if the clock says that it failed. */
  readonly execute: (name: string, command: Command) => TE.TaskEither<DeviceError, void>;
  /** Sends a command and waits for its ACK. `unanswered` within `ms` leaves the link as it is. */
  readonly outcome: (command: Command, ms: number) => TE.TaskEither<BleError | 'unanswered', AckOutcome>;
  /** The settings; `unanswered` leaves the link as it is. */
  readonly record: TE.TaskEither<BleError | 'unanswered', SettingsRecord>;
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
  { clock, log, answerMs, onBattery }: ClockOptions,
): TE.TaskEither<BleError, AlarmClock> => {
  const { address } = link;
  let onNotification: (channel: Channel, notification: Notification) => void = () => undefined;
  let last: Reading | undefined;
  let deliver = (reading: Reading): void => {
    last = reading;
  };

  /** Hands on the values of notifications; one that cannot be decoded is logged and ignored. */
  const decoded =
    <A>(decode: (bytes: Buffer) => E.Either<{ readonly message: string }, A>, take: (value: A) => void) =>
    (bytes: Buffer): void =>
      pipe(
        decode(bytes),
        E.match(({ message }) => log.debug({ address, bytes: bytes.toString('hex') }, message), take),
      );

  const notified = (channel: Channel): ((bytes: Buffer) => void) =>
    decoded(
      (bytes) => decodeNotification(channel, bytes),
      (notification) => {
        log.debug({ address, channel, notification }, 'from a clock');
        onNotification(channel, notification);
      },
    );

  /** Optional: a clock without it, or that refuses it, is connected anyway. */
  const followBattery: TE.TaskEither<BleError, void> = link.notifies(BATTERY_LEVEL)
    ? pipe(
        link.subscribe(BATTERY_LEVEL, decoded(decodeBattery, onBattery)),
        TE.orElse((why) => {
          if (why._tag !== 'GattFailed') return TE.left(why);
          log.info({ address, why }, 'a clock does not report its battery level');
          return TE.right(undefined);
        }),
      )
    : TE.right(undefined);

  const send =
    (command: Command): TE.TaskEither<BleError, void> =>
    () => {
      log.debug({ address, command: command._tag }, 'to a clock');
      return link.write(channelOf(command) === 'auth' ? AUTH_WRITE : DATA_WRITE, encodeCommand(command))();
    };

  /** Hands each notification on the channel of `command` to `take`. */
  const listenFor = (command: Command, take: (notification: Notification) => void): Cancel => {
    const channel = channelOf(command);
    onNotification = (where, notification) => {
      if (where === channel) take(notification);
    };
    return () => {
      onNotification = () => undefined;
    };
  };

  /** Sends a command and waits until `take` responds to a notification. `endsLink` as in `request`. */
  const exchange = <A>(
    command: Command,
    endsLink: string | null,
    take: (notification: Notification, respond: (response: A) => void) => void,
    responseMs = answerMs,
  ): TE.TaskEither<BleError | 'unanswered', A> =>
    request<A>({
      link,
      clock,
      write: send(command),
      responseMs,
      endsLink,
      listen: (respond) => listenFor(command, (notification) => take(notification, respond)),
    });

  const acknowledged = (
    command: Command,
    endsLink: string | null,
    ms?: number,
  ): TE.TaskEither<BleError | 'unanswered', AckOutcome> =>
    exchange<AckOutcome>(
      command,
      endsLink,
      (notification, respond) => {
        if (notification._tag === 'Ack' && isAckOf(command._tag, channelOf(command), notification)) {
          respond(ackOutcome(notification));
        }
      },
      ms,
    );

  const failed =
    (name: string) =>
    (why: BleError | 'unanswered'): DeviceError =>
      why === 'unanswered' ? { _tag: 'NoAnswer', address, request: name, ms: answerMs } : why;

  const record = (endsLink: string | null): TE.TaskEither<BleError | 'unanswered', SettingsRecord> =>
    exchange<SettingsRecord>({ _tag: 'ReadSettings' }, endsLink, (notification, respond) => {
      if (notification._tag === 'Settings') respond(notification.record);
    });

  const alarms = request<readonly SetAlarm[]>({
    link,
    clock,
    write: send({ _tag: 'ReadAlarms' }),
    responseMs: answerMs,
    endsLink: 'the answer to read_alarms',
    listen: (respond) => {
      const collector = collectAlarms(clock, respond);
      const unlisten = listenFor({ _tag: 'ReadAlarms' }, collector.take);
      return () => {
        collector.stop();
        unlisten();
      };
    },
  });

  const device: AlarmClock = {
    link,
    send,
    execute: (name, command) => () =>
      acknowledged(command, `the answer to ${name}`)().then((outcome) => {
        if (E.isLeft(outcome)) return E.left(failed(name)(outcome.left));
        return outcome.right === 'failure'
          ? E.left({ _tag: 'Refused', address, request: name })
          : E.right(undefined);
      }),
    outcome: (command, ms) => acknowledged(command, null, ms),
    record: record(null),
    settings: (name) => pipe(record(`the answer to ${name}`), TE.mapLeft(failed(name))),
    firmware: pipe(
      exchange<string>({ _tag: 'ReadFirmware' }, 'the answer to read_firmware', (notification, respond) => {
        if (notification._tag === 'Firmware') respond(notification.version);
      }),
      TE.mapLeft(failed('read_firmware')),
    ),
    alarms: pipe(alarms, TE.mapLeft(failed('read_alarms'))),
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
        decoded(decodeReading, (reading) => deliver(reading)),
      ),
    ),
    TE.chain(() => followBattery),
    TE.map(() => device),
  );
};
