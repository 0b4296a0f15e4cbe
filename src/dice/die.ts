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
import { collectBurst } from './burst.js';
import {
  decodeNotification,
  DEFAULT_INITIALISE,
  encodeCommand,
  NUS_NOTIFY,
  NUS_WRITE,
  type Command,
  type Notification,
} from './protocol/index.js';
import type { Burst } from './state.js';

/** How long opening a die waits for the burst after initialising, ms; what comes later is the burst all the same. */
const BURST_MS = 1_000;

export interface DieOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** How long an answer may take once the question is written, ms. */
  readonly answerMs: number;
  readonly askColour: boolean;
  /** Gives the opening up. */
  readonly signal: AbortSignal;
}

export interface Die {
  readonly link: Link;
  readonly burst: Burst;
  /**
   * From now on all news go to `news`, first what came since the die was initialised, and what a slow die still owes
   * of its burst goes to `late`; to be called once.
   */
  readonly listen: (
    news: (notification: Notification) => void,
    late: (notification: Notification) => void,
  ) => void;
  /** Resolves when the die has acknowledged the write. */
  readonly send: (command: Command) => TE.TaskEither<BleError, void>;
  /** Asks for the battery level, per cent (`BatteryQuestion`). */
  readonly battery: TE.TaskEither<ServerError, number>;
}

/** Subscribes to a die and initialises it. If that fails the link is ended. */
export const openDie =
  (link: Link, { clock, log, answerMs, askColour, signal }: DieOptions): TE.TaskEither<BleError, Die> =>
  async () => {
    const collector = collectBurst(askColour);
    const early: Notification[] = [];
    let completed = (): void => undefined;
    let deliver = (notification: Notification): void => void early.push(notification);
    let learn = (_notification: Notification): void => undefined;

    const send =
      (command: Command, begun?: () => void): TE.TaskEither<BleError, void> =>
      () => {
        log.debug({ address: link.address, command }, 'to a die');
        return link.write(NUS_WRITE, encodeCommand(command), false, begun)();
      };
    const battery = batteryQuestion(link, (begun) => send({ _tag: 'Battery' }, begun), clock, answerMs);

    const news = (notification: Notification): void => {
      if (notification._tag === 'Battery' && battery.take(notification.level)) return;
      deliver(notification);
    };
    const opening = (notification: Notification): void => {
      if (collector.take(notification)) learn(notification);
      else news(notification);
      if (!collector.complete) return;
      receive = news;
      completed();
    };
    let receive = news;

    const notified = (bytes: Buffer): void =>
      pipe(
        decodeNotification(bytes),
        E.match(
          ({ message }) => log.debug({ address: link.address, bytes: bytes.toString('hex') }, message),
          (notification) => {
            log.debug({ address: link.address, notification }, 'a die said something');
            receive(notification);
          },
        ),
      );

    const burst: TE.TaskEither<BleError, void> = pipe(
      wait<E.Either<BleError, void>>({ clock, ms: BURST_MS }, (settle) => {
        completed = () => settle(E.right(undefined));
        if (collector.complete) completed();
        return link.onEnd((why) => settle(E.left(why)));
      }),
      // A die that says less is as good.
      TE.match(
        () => E.right(undefined),
        (outcome) => outcome,
      ),
    );

    const giveUp = (): void => void link.disconnect();
    signal.addEventListener('abort', giveUp);
    const opened = await pipe(
      signal.aborted ? TE.left<BleError>({ _tag: 'Closed', address: link.address }) : TE.right(undefined),
      TE.chain(() => link.subscribe(NUS_NOTIFY, notified)),
      TE.chain(() => {
        receive = opening;
        return send(DEFAULT_INITIALISE);
      }),
      TE.chain(() => (askColour ? send({ _tag: 'Colour' }) : TE.right(undefined))),
      TE.chain(() => burst),
    )();
    signal.removeEventListener('abort', giveUp);
    if (E.isLeft(opened)) {
      await link.disconnect();
      return opened;
    }
    if (!collector.complete) {
      link.onEnd(
        clock.after(answerMs, () => {
          receive = news;
        }),
      );
    }
    return E.right({
      link,
      burst: collector.burst,
      listen: (newsListener, lateListener) => {
        for (const notification of early) newsListener(notification);
        deliver = newsListener;
        learn = lateListener;
      },
      send,
      battery: battery.ask,
    });
  };
