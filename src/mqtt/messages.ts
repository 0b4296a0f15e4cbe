/** The messages of servers about themselves and their devices. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import type { Logger } from 'pino';
import { decode, parseJson } from '../codecs/index.js';
import type { TimeSource } from '../async/time.js';
import { DeviceLabel, Heard, ServerDevices, ServerStatus } from '../contract/index.js';
import type { Topics } from '../contract/topics.js';
import { isReplaceable } from '../devices/labels.js';
import type { MinuteLog } from '../system/log.js';
import { version } from '../system/package.js';
import { MAX_LIST_BYTES, MAX_STATUS_BYTES } from './bounded.js';
import type { Broker } from './broker.js';

/** This server among others on a broker. */
export interface Peer {
  readonly self: {
    readonly name: string;
    /** The id of this run of the program. */
    readonly run: string;
  };
  readonly topics: Topics;
  readonly broker: Broker;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly minuteLog: MinuteLog;
}

export const statusOf = (self: Peer['self'], status: ServerStatus['status']): string =>
  JSON.stringify(ServerStatus.encode({ status, ...self, version }));

/** Publishes whether this server is online. */
export const announce = ({ self, topics, broker }: Peer, status: ServerStatus['status']): void =>
  broker.publish(topics.server, statusOf(self, status), { retain: true });

/** Reads a message of a server; undefined if it is invalid or has more than `most` bytes. */
const readFrom =
  <A>(codec: t.Decoder<unknown, A>, most: number) =>
  (payload: Buffer): A | undefined =>
    payload.length > most
      ? undefined
      : pipe(
          parseJson(payload.toString('utf8'), 'the payload'),
          E.chain(decode(codec, 'the payload')),
          E.getOrElseW(() => undefined),
        );

export const readStatus = readFrom(ServerStatus, MAX_STATUS_BYTES);
export const readDevices = readFrom(ServerDevices, MAX_LIST_BYTES);
export const readHeard = readFrom(Heard, MAX_LIST_BYTES);

const readAnyLabel = readFrom(DeviceLabel, MAX_STATUS_BYTES);
export const readLabel = (payload: Buffer): DeviceLabel | undefined => {
  const label = readAnyLabel(payload);
  return label !== undefined && isReplaceable(label) ? label : undefined;
};
