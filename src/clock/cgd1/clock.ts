/** A connected clock, as long as its link lasts: its commands, responses and readings. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { DeviceError } from '../../devices/device-error.js';
import type { BleError, Link } from '../../ble/ports.js';
import type { TimeSource } from '../../async/time.js';
import { decodedBy, exchange } from '../../devices/exchange.js';
import {
  ackOutcome,
  ALARM_PACKETS,
  ALARM_SLOTS,
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
  type Ack,
  type Alarm,
  type Channel,
  type Command,
  type Notification,
  type Reading,
} from '../../protocols/cgd1/index.js';

export const CLOCK_PROFILE = [
  {
    service: CLOCK_SERVICE,
    characteristics: [AUTH_WRITE, AUTH_NOTIFY, DATA_WRITE, DATA_NOTIFY, READING_NOTIFY],
  },
  { service: BATTERY_SERVICE, characteristics: [BATTERY_LEVEL] },
];

/** How long after a packet of alarms the next may come, ms: a clock may send fewer than `ALARM_PACKETS`. */
const PACKETS_APART_MS = 1_000;

interface ClockOptions {
  readonly time: TimeSource;
  readonly log: Logger;
  /** How long a response may take once the command is written, ms. */
  readonly answerMs: number;
  /** Called with each level that the battery service notifies, per cent. */
  readonly onBattery: (level: number) => void;
}

export type SetAlarm = readonly [slot: number, alarm: Alarm];

/** Collects notifications for a response. */
interface Collector {
  readonly take: (notification: Notification) => void;
  readonly stop?: () => void;
}

/** Begins to collect a response, and calls `respond` with it. */
type Collect<A> = (respond: (response: A) => void) => Collector;

/** Responds with the first notification for which `read` returns a value. */
const first =
  <A>(read: (notification: Notification) => A | null): Collect<A> =>
  (respond) => ({
    take: (notification) => {
      const response = read(notification);
      if (response !== null) respond(response);
    },
  });

const settings = first((notification) => (notification._tag === 'Settings' ? notification.record : null));

const firmware = first((notification) => (notification._tag === 'Firmware' ? notification.version : null));

/** Joins the packets of alarms; responds with the alarms that are set, in the order of their slots. */
const alarms =
  (time: TimeSource): Collect<readonly SetAlarm[]> =>
  (respond) => {
    const slots = new Map<number, Alarm>();
    const packets = new Set<number>();
    let stop = (): void => undefined;
    const finish = (): void => respond([...slots].sort(([a], [b]) => a - b));
    return {
      take: (notification) => {
        if (notification._tag !== 'AlarmPacket') return;
        packets.add(notification.base);
        for (const [index, alarm] of notification.alarms.entries()) {
          const slot = notification.base + index;
          if (alarm !== null && slot < ALARM_SLOTS) slots.set(slot, alarm);
        }
        stop();
        if (packets.size === ALARM_PACKETS) finish();
        else stop = time.after(PACKETS_APART_MS, finish);
      },
      stop: () => stop(),
    };
  };

const isAck = (command: Command, notification: Notification): notification is Ack =>
  notification._tag === 'Ack' && isAckOf(command._tag, channelOf(command), notification);

/** Responds when the clock has acknowledged a command. */
const ackOf =
  (command: Command): Collect<void> =>
  (respond) => ({
    take: (notification) => {
      if (isAck(command, notification)) respond();
    },
  });

/**
 * A clock, for one command at a time. Left `NoAnswer`: no response in time, which ends the link; `Refused`: the clock reports that
 * the command failed, and the link stays. `name`: the name of the command in these errors.
 */
export class AlarmClock {
  private onNotification: (channel: Channel, notification: Notification) => void = () => undefined;
  private lastReading: Reading | undefined;
  private onReading = (reading: Reading): void => {
    this.lastReading = reading;
  };

  constructor(
    readonly link: Link,
    private readonly options: ClockOptions,
  ) {}

  /** Subscribes to the clock. Left: the link has ended, or the clock refuses a subscription that it must accept. */
  get subscribed(): TE.TaskEither<BleError, void> {
    const { link } = this;
    const readings = decodedBy(decodeReading, this.logged, (reading) => this.onReading(reading));
    return pipe(
      link.subscribe(AUTH_NOTIFY, this.notified('auth')),
      TE.chain(() => link.subscribe(DATA_NOTIFY, this.notified('data'))),
      TE.chain(() => link.subscribe(READING_NOTIFY, readings)),
      TE.chain(() => this.batterySubscribed),
    );
  }

  /** Delivers the last reading so far and all later ones to `listener`; may be called once. */
  listen(listener: (reading: Reading) => void): void {
    this.onReading = listener;
    if (this.lastReading !== undefined) listener(this.lastReading);
  }

  /** Sends a command; resolves when the clock has acknowledged the write. */
  send(command: Command): TE.TaskEither<BleError, void> {
    const { link, options } = this;
    return () => {
      options.log.debug({ address: link.address, command: command._tag }, 'to a clock');
      return link.write(channelOf(command) === 'auth' ? AUTH_WRITE : DATA_WRITE, encodeCommand(command))();
    };
  }

  /** Sends a command and waits for its ACK. */
  execute(name: string, command: Command): TE.TaskEither<DeviceError, void> {
    return this.exchange(name, command, ackOf(command));
  }

  /** Sends a command and waits for its ACK within `ms`; the link stays even without an ACK. */
  acknowledged(name: string, command: Command, ms: number): TE.TaskEither<DeviceError, void> {
    return this.exchange(name, command, ackOf(command), { ms, endsLink: false });
  }

  /** `endsLink`: whether a missing response ends the link. */
  settings(name: string, endsLink = true): TE.TaskEither<DeviceError, Buffer> {
    return this.exchange(name, { _tag: 'ReadSettings' }, settings, { endsLink });
  }

  get firmware(): TE.TaskEither<DeviceError, string> {
    return this.exchange('read_firmware', { _tag: 'ReadFirmware' }, firmware);
  }

  /** The alarms that are set, in the order of their slots. */
  get alarms(): TE.TaskEither<DeviceError, readonly SetAlarm[]> {
    return this.exchange('read_alarms', { _tag: 'ReadAlarms' }, alarms(this.options.time));
  }

  /** The level in the battery service, per cent. */
  get battery(): TE.TaskEither<DeviceError, number> {
    const { link } = this;
    return pipe(
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
    );
  }

  private get logged() {
    return { log: this.options.log, address: this.link.address };
  }

  /** Sends a command, which the clock may refuse by an ACK, and waits for its response. */
  private exchange<A>(
    name: string,
    command: Command,
    collect: Collect<A>,
    { ms = this.options.answerMs, endsLink = true } = {},
  ): TE.TaskEither<DeviceError, A> {
    const { link, options } = this;
    const refused: DeviceError = { _tag: 'Refused', address: link.address, request: name };
    return pipe(
      exchange<E.Either<DeviceError, A>>({
        ...{ link, name, time: options.time, write: this.send(command), responseMs: ms },
        endsLink: endsLink ? `the answer to ${name}` : null,
        listen: (respond) => {
          const { take, stop } = collect((response) => respond(E.right(response)));
          this.onNotification = (channel, notification) => {
            if (channel !== channelOf(command)) return;
            if (isAck(command, notification) && ackOutcome(notification) === 'failure')
              respond(E.left(refused));
            else take(notification);
          };
          return () => {
            stop?.();
            this.onNotification = () => undefined;
          };
        },
      }),
      TE.chainEitherK((response) => response),
    );
  }

  private notified(channel: Channel): (bytes: Buffer) => void {
    const { address } = this.link;
    return decodedBy(
      (bytes) => decodeNotification(channel, bytes),
      this.logged,
      (notification) => {
        this.options.log.debug({ address, channel, notification }, 'from a clock');
        this.onNotification(channel, notification);
      },
    );
  }

  /** Subscribes to the battery level; a clock that lacks or refuses the subscription is connected anyway. */
  private get batterySubscribed(): TE.TaskEither<BleError, void> {
    const { link, options } = this;
    if (!link.notifies(BATTERY_LEVEL)) return TE.right(undefined);
    return pipe(
      link.subscribe(BATTERY_LEVEL, decodedBy(decodeBattery, this.logged, options.onBattery)),
      TE.orElse((cause) => {
        if (cause._tag !== 'GattFailed') return TE.left(cause);
        options.log.info({ address: link.address, cause }, 'a clock does not report its battery level');
        return TE.right(undefined);
      }),
    );
  }
}
