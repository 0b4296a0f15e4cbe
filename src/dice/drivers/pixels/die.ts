/** One connected die, for as long as its link lasts. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { shared } from '../../../async/wait.js';
import type { BleError, Link } from '../../../ble/ports.js';
import type { DeviceError } from '../../../devices/device-error.js';
import { decodedBy } from '../../../devices/notifications.js';
import { openedOn } from '../../../devices/opening.js';
import { request } from '../../../devices/request.js';
import type { Die, OpenOptions } from '../../port/driver.js';
import { ReportBuffer } from '../../port/report-buffer.js';
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
} from './protocol/index.js';
import { Reports } from './reports.js';

type Tag = Notification['_tag'];
type Response<T extends Tag> = Extract<Notification, { _tag: T }>;

const isResponse =
  <T extends Tag>(tag: T) =>
  (notification: Notification): notification is Response<T> =>
    notification._tag === tag;

/** Subscribes to a die, asks it what it is, and restores its LEDs. If that fails the link is ended. */
export const openDie =
  (link: Link, { time, log, answerMs, leds: lit, signal }: OpenOptions): TE.TaskEither<DeviceError, Die> =>
  () => {
    const { address } = link;
    const profile = PROFILES.find((one) => link.notifies(profileIds[one].notify)) ?? 'legacy';
    const ids = profileIds[profile];
    const listeners = new Set<(notification: Notification) => void>();
    const buffer = new ReportBuffer();
    /** Its notifications before it says what it is. */
    const early: Notification[] = [];
    let reports: Reports | undefined;

    const notified = decodedBy(decodeNotification, { log, address }, (notification) => {
      log.debug({ address, notification }, 'from a die');
      if (reports !== undefined) reports.receive(notification);
      else if (notification._tag !== 'IAmADie') early.push(notification);
      else reports = new Reports(notification, early, (received) => buffer.add(received));
      for (const listener of listeners) listener(notification);
    });

    const send =
      (command: Command): TE.TaskEither<BleError, void> =>
      () => {
        log.debug({ address, command }, 'to a die');
        return link.write(ids.write, encodeCommand(command))();
      };

    /** Sends a command and awaits its response, the next notification of that kind. Left `NoAnswer` without one in time. */
    const ask = <T extends Tag>(command: Command, tag: T): TE.TaskEither<DeviceError, Response<T>> =>
      pipe(
        request<Response<T>>({
          ...{ link, time, responseMs: answerMs, endsLink: null },
          write: send(command),
          listen: (respond) => {
            const isOne = isResponse(tag);
            const listener = (notification: Notification): void => {
              if (isOne(notification)) respond(notification);
            };
            listeners.add(listener);
            return () => void listeners.delete(listener);
          },
        }),
        TE.mapLeft((reason) =>
          reason === 'unanswered'
            ? { _tag: 'NoAnswer', address, request: command._tag, ms: answerMs }
            : reason,
        ),
      );

    /** A Blink is acknowledged by the die itself: it drops commands of which it has too many. */
    const show = (command: Command): TE.TaskEither<DeviceError, void> =>
      command._tag === 'Blink'
        ? pipe(
            ask(command, 'BlinkAck'),
            TE.map(() => undefined),
          )
        : send(command);

    const opened = (identity: Response<'IAmADie'>): E.Either<DeviceError, Die> => {
      const { dieType, ledCount, builtAt } = identity;
      const type = shapeOf(guessType(dieType, ledCount));
      if (type === null) {
        const reason = `its type is not known, and it has ${ledCount} LEDs`;
        return E.left({ _tag: 'BadAnswer', address, reason });
      }
      const lights = lightsOf(show, time, isOldBuild(builtAt) ? 0 : 1);
      link.onEnd(() => lights.stop());
      return E.right({
        ...{ link, type, leds: ['led1'], setTaps: null },
        listen: (listener) => buffer.listen(listener),
        setLeds: ({ led1 }) => lights.set(led1),
        pulse: lights.pulse,
        battery: shared(
          pipe(
            ask({ _tag: 'RequestBatteryLevel' }, 'BatteryLevel'),
            TE.map(({ level }) => level),
          ),
        ),
      });
    };

    return openedOn(
      link,
      signal,
      pipe(
        link.subscribe(ids.notify, notified),
        TE.chainW(() => ask({ _tag: 'WhoAreYou' }, 'IAmADie')),
        TE.chainEitherK(opened),
        TE.chainFirst((die) => (lit === null ? TE.right(undefined) : die.setLeds(lit))),
      ),
    )();
  };
