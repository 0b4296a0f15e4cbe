/** Commands to one clock and what it notifies in response, for as long as its link lasts. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { DeviceError } from '../../devices/device-error.js';
import type { BleError, Link } from '../../ble/ports.js';
import { request } from '../../devices/request.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import {
  ackOutcome,
  AUTH_WRITE,
  channelOf,
  DATA_WRITE,
  encodeCommand,
  isAckOf,
  type Ack,
  type Channel,
  type Command,
  type Notification,
} from './protocol/index.js';

/** Makes a response of notifications. */
export interface Collector {
  readonly take: (notification: Notification) => void;
  readonly stop: () => void;
}

/** Begins to collect a response, and calls `respond` with it. */
export type Collect<A> = (respond: (response: A) => void) => Collector;

/** Why a command has no response: none came in time, or the ACK of a failure came instead. */
export type NoResponse = 'unanswered' | 'refused';

/** Responds with the first notification that `read` makes something of. */
export const first =
  <A>(read: (notification: Notification) => A | null): Collect<A> =>
  (respond) => ({
    take: (notification) => {
      const response = read(notification);
      if (response !== null) respond(response);
    },
    stop: () => undefined,
  });

const isOwnAck = (command: Command, notification: Notification): notification is Ack =>
  notification._tag === 'Ack' && isAckOf(command._tag, channelOf(command), notification);

/** Responds when the clock has acknowledged a command. */
export const ackOf =
  (command: Command): Collect<void> =>
  (respond) => ({
    take: (notification) => {
      if (isOwnAck(command, notification)) respond();
    },
    stop: () => undefined,
  });

const isRefusal = (command: Command, notification: Notification): boolean =>
  isOwnAck(command, notification) && ackOutcome(notification) === 'failure';

export interface ExchangesOptions {
  readonly link: Link;
  readonly time: TimeSource;
  readonly log: Logger;
  /** How long a response may take once the command is written, ms. */
  readonly answerMs: number;
}

/** One command may be under way at a time. */
export const openExchanges = ({ link, time, log, answerMs }: ExchangesOptions) => {
  const { address } = link;
  let onNotification: (channel: Channel, notification: Notification) => void = () => undefined;

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

  /** `endsLink` as in `request`. */
  const run = <A>(
    command: Command,
    collect: Collect<A>,
    responseMs: number,
    endsLink: string | null,
  ): TE.TaskEither<BleError | NoResponse, A> =>
    pipe(
      request<E.Either<'refused', A>>({
        link,
        time,
        write: send(command),
        responseMs,
        endsLink,
        listen: (respond) => {
          const collector = collect((response) => respond(E.right(response)));
          const unlisten = listenFor(command, (notification) => {
            if (isRefusal(command, notification)) respond(E.left('refused'));
            else collector.take(notification);
          });
          return () => {
            collector.stop();
            unlisten();
          };
        },
      }),
      TE.chainEitherKW((response) => response),
    );

  const failed =
    (name: string) =>
    (reason: BleError | NoResponse): DeviceError => {
      if (reason === 'unanswered') return { _tag: 'NoAnswer', address, request: name, ms: answerMs };
      return reason === 'refused' ? { _tag: 'Refused', address, request: name } : reason;
    };

  return {
    /** To be called with each notification. */
    receive: (channel: Channel, notification: Notification) => onNotification(channel, notification),
    /** Sends a command; resolves when the clock has acknowledged the write. */
    send,
    /** Sends a command and waits for its response. A response that does not come within `ms` leaves the link as it is. */
    exchange: <A>(command: Command, collect: Collect<A>, ms = answerMs) => run(command, collect, ms, null),
    /**
     * Sends a command and waits for its response. Left `NoAnswer` if none comes in time, which ends the link; `Refused` if the
     * clock says that the command failed. `name`: the name of the command in these errors.
     */
    ask: <A>(name: string, command: Command, collect: Collect<A>): TE.TaskEither<DeviceError, A> =>
      pipe(run(command, collect, answerMs, `the answer to ${name}`), TE.mapLeft(failed(name))),
  };
};
