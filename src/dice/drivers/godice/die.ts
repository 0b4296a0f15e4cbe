/** A connected die, as long as its link lasts. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { BleError, Link } from '../../../ble/ports.js';
import type { TimeSource } from '../../../async/time.js';
import { decodedBy } from '../../../devices/exchange.js';
import { openedOn } from '../../../ble/opened-on.js';
import type { Die, Measuring, OpenOptions } from '../../port/driver.js';
import { LEDS, type Taps } from '../../../protocols/dice-values.js';
import { wait } from '../../../async/wait.js';
import { batteryRequest } from './battery.js';
import { NotificationBuffer } from './burst.js';
import {
  decodeNotification,
  DEFAULT_INITIALISE,
  encodeCommand,
  faceOf,
  nearestVector,
  NUS_NOTIFY,
  NUS_WRITE,
  type Command,
} from '../../../protocols/godice/index.js';

/** How long opening a die waits for the burst, ms; later parts still belong to the burst. */
const BURST_MS = 1_000;

export const measuring: Measuring = { faceOf, levelOn: nearestVector };

const tapCommands = ({ single, double }: Taps): readonly Command[] => [
  { _tag: 'SingleTap', on: single },
  { _tag: 'DoubleTap', on: double },
];

/** Waits until the burst is over, for `BURST_MS` at most: a die may leave parts out. */
const burstOver = (
  link: Link,
  notifications: NotificationBuffer,
  time: TimeSource,
): TE.TaskEither<BleError, void> =>
  pipe(
    wait<E.Either<BleError, void>>({ time, ms: BURST_MS }, (settle) => {
      const unwatch = notifications.whenLive(() => settle(E.right(undefined)));
      const forget = link.onEnd((reason) => settle(E.left(reason)));
      return () => {
        unwatch();
        forget();
      };
    }),
    TE.match(
      () => E.right(undefined),
      (outcome) => outcome,
    ),
  );

/** Subscribes to a die, initialises it and restores its LEDs and taps; ends the link if that fails. */
export const openDie =
  (
    link: Link,
    { time, log, answerMs, askColour, leds, taps, signal }: OpenOptions,
  ): TE.TaskEither<BleError, Die> =>
  async () => {
    const notifications = new NotificationBuffer();
    const { address } = link;

    const send =
      (command: Command, begun?: () => void): TE.TaskEither<BleError, void> =>
      () => {
        log.debug({ address, command }, 'to a die');
        return link.write(NUS_WRITE, encodeCommand(command), false, begun)();
      };
    const sendAll = (commands: readonly Command[]): TE.TaskEither<BleError, void> =>
      pipe(
        commands,
        TE.traverseSeqArray((command) => send(command)),
        TE.asUnit,
      );
    const battery = batteryRequest(link, (begun) => send({ _tag: 'Battery' }, begun), time, answerMs);

    const notified = decodedBy(decodeNotification, { log, address }, (notification) => {
      log.debug({ address, notification }, 'from a die');
      if (notification._tag === 'Calibration') return;
      const isResponse = notification._tag === 'Battery' && battery.take(notification.level);
      notifications.receive(notification, isResponse);
    });

    const opened = await openedOn(
      link,
      signal,
      pipe(
        link.subscribe(NUS_NOTIFY, notified),
        TE.chain(() => send(DEFAULT_INITIALISE, () => notifications.initialise(askColour))),
        TE.chain(() => (askColour ? send({ _tag: 'Colour' }) : TE.right(undefined))),
        TE.chain(() => burstOver(link, notifications, time)),
        TE.chain(() =>
          sendAll([
            ...(leds === null ? [] : [{ _tag: 'Leds', ...leds } as const]),
            ...(taps === null ? [] : tapCommands(taps)),
          ]),
        ),
      ),
    )();
    if (E.isLeft(opened)) return opened;
    const cancelBurst = time.after(answerMs, () => notifications.endBurst());
    notifications.whenLive(cancelBurst);
    link.onEnd(cancelBurst);
    return E.right({
      link,
      type: measuring,
      listen: (listener) => notifications.listen(listener),
      leds: LEDS,
      setLeds: (colours) => send({ _tag: 'Leds', ...colours }),
      pulse: (pulse) => send({ _tag: 'Pulse', mode: 'parallel', ...pulse }),
      setTaps: (changed) => sendAll(tapCommands(changed)),
      battery: battery.level,
      askBattery: battery.ask,
    });
  };
