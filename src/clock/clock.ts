/** One clock on its link: commands out, answers and readings in, for as long as the link lasts. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { BleError, Link } from '../ble/ports.js';
import { ask } from '../ble/question.js';
import { coreError, radioError, type ServerError } from '../http/index.js';
import type { Cancel, Clock } from '../time.js';
import { collectAlarms, type SetAlarm } from './alarms.js';
import {
  ackedCommands,
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
  /** How long an answer may take once the command is written, ms. */
  readonly answerMs: number;
  /** Told of each level that the battery service notifies, per cent. */
  readonly charged: (level: number) => void;
}

/**
 * Commands are to be sent one after another. A missed answer is `answer_timeout` and ends the link. `what`: the name
 * of the command in a sentence.
 */
export interface AlarmClock {
  readonly link: Link;
  /** Sends a command without waiting for more than its delivery. */
  readonly send: (command: Command) => TE.TaskEither<BleError, void>;
  /** Left `command_refused` if the clock says that it failed. */
  readonly tell: (what: string, command: Command) => TE.TaskEither<ServerError, void>;
  /** What the clock makes of a command; `unanswered` within `ms` leaves the link as it is. */
  readonly outcome: (command: Command, ms: number) => TE.TaskEither<BleError | 'unanswered', AckOutcome>;
  /** The settings as they are, asked without a word about who wants them. */
  readonly record: TE.TaskEither<BleError | 'unanswered', SettingsRecord>;
  readonly settings: (what: string) => TE.TaskEither<ServerError, SettingsRecord>;
  readonly firmware: TE.TaskEither<ServerError, string>;
  /** In slot order, set ones only. */
  readonly alarms: TE.TaskEither<ServerError, readonly SetAlarm[]>;
  /** Per cent, as the battery service has it. */
  readonly battery: TE.TaskEither<ServerError, number>;
  /** From now on all readings go to `listener`, first the last one so far; to be called once. */
  readonly listen: (listener: (reading: Reading) => void) => void;
}

/** Subscribes to a clock. Left: the link has ended, or the clock refuses what it must have. */
export const openClock = (
  link: Link,
  { clock, log, answerMs, charged }: ClockOptions,
): TE.TaskEither<BleError, AlarmClock> => {
  const { address } = link;
  let heard: (channel: Channel, notification: Notification) => void = () => undefined;
  let last: Reading | undefined;
  let deliver = (reading: Reading): void => {
    last = reading;
  };

  /** Hands on what was notified; what cannot be read is passed over. */
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
        log.debug({ address, channel, notification }, 'a clock said something');
        heard(channel, notification);
      },
    );

  /** Nothing that a clock must have: one without it, or that refuses it, is connected all the same. */
  const followBattery: TE.TaskEither<BleError, void> = link.notifies(BATTERY_LEVEL)
    ? pipe(
        link.subscribe(BATTERY_LEVEL, decoded(decodeBattery, charged)),
        TE.orElse((why) => {
          if (why._tag !== 'GattFailed') return TE.left(why);
          log.info({ address, why }, 'a clock does not tell its battery level');
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
  const listening = (command: Command, take: (notification: Notification) => void): Cancel => {
    const channel = channelOf(command);
    heard = (where, notification) => {
      if (where === channel) take(notification);
    };
    return () => {
      heard = () => undefined;
    };
  };

  const question = <A>(
    command: Command,
    ends: string | null,
    take: (notification: Notification, answered: (answer: A) => void) => void,
    ms = answerMs,
  ): TE.TaskEither<BleError | 'unanswered', A> =>
    ask<A>({
      link,
      clock,
      write: send(command),
      answerMs: ms,
      ends,
      listen: (answered) => listening(command, (notification) => take(notification, answered)),
    });

  const acknowledged = (
    command: Command,
    ends: string | null,
    ms?: number,
  ): TE.TaskEither<BleError | 'unanswered', AckOutcome> =>
    question<AckOutcome>(
      command,
      ends,
      (notification, answered) => {
        if (notification._tag !== 'Ack') return;
        if (ackedCommands(channelOf(command), notification).includes(command._tag)) {
          answered(ackOutcome(notification));
        }
      },
      ms,
    );

  const failed =
    (what: string) =>
    (why: BleError | 'unanswered'): ServerError =>
      why === 'unanswered'
        ? coreError('answer_timeout', `device ${address} did not answer ${what} within ${answerMs / 1000} s`)
        : radioError(why);

  const record = (ends: string | null): TE.TaskEither<BleError | 'unanswered', SettingsRecord> =>
    question<SettingsRecord>({ _tag: 'ReadSettings' }, ends, (notification, answered) => {
      if (notification._tag === 'Settings') answered(notification.record);
    });

  const alarms = ask<readonly SetAlarm[]>({
    link,
    clock,
    write: send({ _tag: 'ReadAlarms' }),
    answerMs,
    ends: 'the answer to read_alarms',
    listen: (answered) => {
      const collector = collectAlarms(clock, answered);
      const unlisten = listening({ _tag: 'ReadAlarms' }, collector.take);
      return () => {
        collector.stop();
        unlisten();
      };
    },
  });

  const device: AlarmClock = {
    link,
    send,
    tell: (what, command) =>
      pipe(
        acknowledged(command, `the answer to ${what}`),
        TE.mapLeft(failed(what)),
        TE.chain((outcome) =>
          outcome === 'failure'
            ? TE.left(coreError('command_refused', `device ${address} refused ${what}`))
            : TE.right(undefined),
        ),
      ),
    outcome: (command, ms) => acknowledged(command, null, ms),
    record: record(null),
    settings: (what) => pipe(record(`the answer to ${what}`), TE.mapLeft(failed(what))),
    firmware: pipe(
      question<string>({ _tag: 'ReadFirmware' }, 'the answer to read_firmware', (notification, answered) => {
        if (notification._tag === 'Firmware') answered(notification.version);
      }),
      TE.mapLeft(failed('read_firmware')),
    ),
    alarms: pipe(alarms, TE.mapLeft(failed('read_alarms'))),
    battery: pipe(
      link.read(BATTERY_LEVEL),
      TE.mapLeft(radioError),
      TE.chainEitherK((bytes) =>
        pipe(
          decodeBattery(bytes),
          E.mapLeft(({ message }) => coreError('bad_answer', `device ${address}: ${message}`)),
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
