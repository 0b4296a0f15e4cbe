/** One connected die, for as long as its link lasts. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { BleError, Link } from '../ble/ports.js';
import type { ServerError } from '../http/index.js';
import type { Clock } from '../time.js';
import { wait } from '../wait.js';
import { batteryQuestion } from './battery.js';
import { Inbox, type Received } from './inbox.js';
import {
  decodeNotification,
  DEFAULT_INITIALISE,
  encodeCommand,
  NUS_NOTIFY,
  NUS_WRITE,
  type Command,
} from './protocol/index.js';

/** How long opening a die waits for the burst after initialising, ms; what comes later is the burst all the same. */
const BURST_MS = 1_000;

/** What a die is asked and told while it is opened. */
export interface Opening {
  readonly askColour: boolean;
  /** Sent once it is initialised: what a die forgets with its link. */
  readonly restore: readonly Command[];
}

export interface DieOptions extends Opening {
  readonly clock: Clock;
  readonly log: Logger;
  /** How long an answer may take once the question is written, ms. */
  readonly answerMs: number;
  /** Gives the opening up. */
  readonly signal: AbortSignal;
}

export interface Die {
  readonly link: Link;
  /** Tells `listener` all that the die says, from its first notification on and in order; to be called once. */
  readonly listen: (listener: (received: Received) => void) => void;
  /** Resolves when the die has acknowledged the write. */
  readonly send: (command: Command) => TE.TaskEither<BleError, void>;
  /** Asks for the battery level, per cent (`BatteryQuestion`). */
  readonly battery: TE.TaskEither<ServerError, number>;
}

/** Waits until the burst is over; a die that says less in time is as good. */
const burstOver = (link: Link, inbox: Inbox, clock: Clock): TE.TaskEither<BleError, void> =>
  pipe(
    wait<E.Either<BleError, void>>({ clock, ms: BURST_MS }, (settle) => {
      const unwatch = inbox.whenLive(() => settle(E.right(undefined)));
      const forget = link.onEnd((why) => settle(E.left(why)));
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

/** Subscribes to a die, initialises it and restores what it forgot. If that fails the link is ended. */
export const openDie =
  (
    link: Link,
    { clock, log, answerMs, askColour, restore, signal }: DieOptions,
  ): TE.TaskEither<BleError, Die> =>
  async () => {
    const inbox = new Inbox();
    const { address } = link;

    const send =
      (command: Command, begun?: () => void): TE.TaskEither<BleError, void> =>
      () => {
        log.debug({ address, command }, 'to a die');
        return link.write(NUS_WRITE, encodeCommand(command), false, begun)();
      };
    const battery = batteryQuestion(link, (begun) => send({ _tag: 'Battery' }, begun), clock, answerMs);

    const notified = (bytes: Buffer): void =>
      pipe(
        decodeNotification(bytes),
        E.match(
          ({ message }) => log.debug({ address, bytes: bytes.toString('hex') }, message),
          (notification) => {
            log.debug({ address, notification }, 'a die said something');
            inbox.receive(notification, notification._tag === 'Battery' && battery.take(notification.level));
          },
        ),
      );

    const giveUp = (): void => void link.disconnect();
    signal.addEventListener('abort', giveUp);
    const opened = await pipe(
      signal.aborted ? TE.left<BleError>({ _tag: 'Closed', address }) : TE.right(undefined),
      TE.chain(() => link.subscribe(NUS_NOTIFY, notified)),
      TE.chain(() => send(DEFAULT_INITIALISE, () => inbox.initialise(askColour))),
      TE.chain(() => (askColour ? send({ _tag: 'Colour' }) : TE.right(undefined))),
      TE.chain(() => burstOver(link, inbox, clock)),
      TE.chain(() => TE.traverseSeqArray((command: Command) => send(command))(restore)),
    )();
    signal.removeEventListener('abort', giveUp);
    if (E.isLeft(opened)) {
      await link.disconnect();
      return opened;
    }
    const cancelBurst = clock.after(answerMs, () => inbox.endBurst());
    inbox.whenLive(cancelBurst);
    link.onEnd(cancelBurst);
    return E.right({
      link,
      listen: (listener) => inbox.listen(listener),
      send,
      battery: battery.ask,
    });
  };
