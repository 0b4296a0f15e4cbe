/** A connected die, as long as its link lasts. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { shared } from '../../../async/wait.js';
import type { BleError, Link } from '../../../ble/ports.js';
import { openedOn } from '../../../ble/opened-on.js';
import type { DeviceError } from '../../../devices/device-error.js';
import { decodedBy, exchange } from '../../../devices/exchange.js';
import { ReportBuffer, type Die, type OpenOptions } from '../../port/driver.js';
import { lightsOf } from './lights.js';
import {
  decodeNotification,
  encodeCommand,
  guessType,
  isOldBuild,
  PROFILES,
  profileIds,
  shapeOf,
  type Command,
  type Notification,
} from '../../../protocols/pixels/index.js';
import { Reports } from './reports.js';

type Tag = Notification['_tag'];
type Response<T extends Tag> = Extract<Notification, { _tag: T }>;

const isResponse =
  <T extends Tag>(tag: T) =>
  (notification: Notification): notification is Response<T> =>
    notification._tag === tag;

class PixelsDie {
  private readonly ids;
  private readonly listeners = new Set<(notification: Notification) => void>();
  private readonly buffer = new ReportBuffer();
  /** Notifications that came before the identity of the die. */
  private readonly early: Notification[] = [];
  private reports: Reports | undefined;

  constructor(
    private readonly link: Link,
    private readonly options: OpenOptions,
  ) {
    const profile = PROFILES.find((name) => link.notifies(profileIds[name].notify)) ?? 'legacy';
    this.ids = profileIds[profile];
  }

  /** Subscribes to the die, requests its identity, and restores its LEDs. */
  get opened(): TE.TaskEither<DeviceError, Die> {
    const { log, leds } = this.options;
    const { address } = this.link;
    const notified = decodedBy(decodeNotification, { log, address }, (notification) => {
      log.debug({ address, notification }, 'from a die');
      this.receive(notification);
    });
    return pipe(
      this.link.subscribe(this.ids.notify, notified),
      TE.chainW(() => this.ask({ _tag: 'WhoAreYou' }, 'IAmADie')),
      TE.chainEitherK((identity) => this.identified(identity)),
      TE.chainFirst((die) => (leds === null ? TE.right(undefined) : die.setLeds(leds))),
    );
  }

  private identified({ dieType, ledCount, builtAt }: Response<'IAmADie'>): E.Either<DeviceError, Die> {
    const { link } = this;
    const type = shapeOf(guessType(dieType, ledCount));
    if (type === null) {
      const reason = `its type is not known, and it has ${ledCount} LEDs`;
      return E.left({ _tag: 'BadAnswer', address: link.address, reason });
    }
    const lights = lightsOf((command) => this.show(command), this.options.time, isOldBuild(builtAt) ? 0 : 1);
    link.onEnd(() => lights.stop());
    return E.right({
      ...{ link, type, leds: ['led1'], setTaps: null },
      listen: (listener) => this.buffer.listen(listener),
      setLeds: ({ led1 }) => lights.set(led1),
      pulse: lights.pulse,
      battery: shared(
        pipe(
          this.ask({ _tag: 'RequestBatteryLevel' }, 'BatteryLevel'),
          TE.map(({ level }) => level),
        ),
      ),
      askBattery: this.send({ _tag: 'RequestBatteryLevel' }),
    });
  }

  private receive(notification: Notification): void {
    if (this.reports !== undefined) this.reports.receive(notification);
    else if (notification._tag !== 'IAmADie') this.early.push(notification);
    else this.reports = new Reports(notification, this.early, (received) => this.buffer.add(received));
    for (const listener of this.listeners) listener(notification);
  }

  private send(command: Command): TE.TaskEither<BleError, void> {
    const { link, options, ids } = this;
    return () => {
      options.log.debug({ address: link.address, command }, 'to a die');
      return link.write(ids.write, encodeCommand(command))();
    };
  }

  /** Sends a command and awaits its response, the next notification of the kind `tag`. Left `NoAnswer`: none in time. */
  private ask<T extends Tag>(command: Command, tag: T): TE.TaskEither<DeviceError, Response<T>> {
    const { link, listeners } = this;
    const { time, answerMs } = this.options;
    return exchange<Response<T>>({
      ...{ link, time, name: command._tag, responseMs: answerMs, endsLink: null },
      write: this.send(command),
      listen: (respond) => {
        const isAnswer = isResponse(tag);
        const listener = (notification: Notification): void => {
          if (isAnswer(notification)) respond(notification);
        };
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    });
  }

  /** Sends a command, and waits until the die has acknowledged a Blink: it drops commands if too many wait. */
  private show(command: Command): TE.TaskEither<DeviceError, void> {
    return command._tag === 'Blink'
      ? pipe(
          this.ask(command, 'BlinkAck'),
          TE.map(() => undefined),
        )
      : this.send(command);
  }
}

/** Opens a die on a link; ends the link if that fails. */
export const openDie =
  (link: Link, options: OpenOptions): TE.TaskEither<DeviceError, Die> =>
  () =>
    openedOn(link, options.signal, new PixelsDie(link, options).opened)();
