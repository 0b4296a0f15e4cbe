/** The messages of servers about themselves and about the devices that they claim. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import type { Logger } from 'pino';
import { setNewest } from '../async/newest.js';
import { decode, parseJson } from '../codecs/index.js';
import type { TimeSource } from '../async/time.js';
import { Claim, DeviceLabel, OwnedDevices, ServerStatus } from '../contract/index.js';
import type { Topics } from '../contract/topics.js';
import { isReplaceable } from '../devices/labels.js';
import type { MinuteLog } from '../system/log.js';
import { version } from '../system/package.js';
import { MAX_LIST_BYTES, MAX_STATUS_BYTES, MOST_SERVERS } from './bounded.js';
import type { Broker } from './broker.js';

/**
 * The longest time that the brokers of a cluster take to forward a message, ms. After it, servers repeat messages about which others
 * have published something else: each broker may have had the two in another order.
 */
export const LATE_MS = 10_000;

/** A server on one connection to the broker. */
export interface Identity {
  readonly name: string;
  /** The id of the connection, never used again, so that messages of earlier connections do not count. */
  readonly instance: string;
}

/** This server among others on a broker. */
export interface Peer {
  /** The identity on the current connection, or on the last one. */
  readonly self: Identity;
  readonly topics: Topics;
  readonly broker: Broker;
  readonly time: TimeSource;
  readonly log: Logger;
  readonly minuteLog: MinuteLog;
}

export const statusOf = (self: Identity, status: ServerStatus['status']): string =>
  JSON.stringify(ServerStatus.encode({ status, ...self, version }));

/** Publishes whether this server is online. */
export const announce = ({ self, topics, broker }: Peer, status: ServerStatus['status']): void =>
  broker.publish(topics.server, statusOf(self, status), { retain: true });

/** Reads a message of a server; undefined if it is invalid or has more than `most` bytes. */
export const readFrom =
  <A>(codec: t.Decoder<unknown, A>, most: number) =>
  (payload: Buffer): A | undefined =>
    payload.length > most
      ? undefined
      : pipe(
          parseJson(payload.toString('utf8'), 'the payload'),
          E.chain(decode(codec, 'the payload')),
          E.getOrElseW(() => undefined),
        );
const readStatus = readFrom(ServerStatus, MAX_STATUS_BYTES);
export const readClaim = readFrom(Claim, MAX_STATUS_BYTES);
const readAnyLabel = readFrom(DeviceLabel, MAX_STATUS_BYTES);
export const readLabel = (payload: Buffer): DeviceLabel | undefined => {
  const label = readAnyLabel(payload);
  return label !== undefined && isReplaceable(label) ? label : undefined;
};
export const readOwned = readFrom(OwnedDevices, MAX_LIST_BYTES);

export const isSame = (a: Identity, b: Identity): boolean => a.name === b.name && a.instance === b.instance;

export type Status = Pick<ServerStatus, 'status' | 'instance' | 'version'>;

/** The status of a server after a message on its topic: the end of an earlier connection does not change it. */
const nextStatus = (before: Status | undefined, received: Status): Status =>
  before?.status === 'online' && received.status === 'offline' && before.instance !== received.instance
    ? before
    : received;

/** The servers of a fleet by the messages on their topics: the kept servers and the newest others. */
export class Servers {
  private readonly statuses = new Map<string, Status>();

  constructor(private readonly isKept: (name: string) => boolean = () => false) {}

  /** Takes the message of a server; undefined if it is invalid. */
  receive(name: string, payload: Buffer): Status | undefined {
    const status = readStatus(payload);
    if (status !== undefined) this.set(name, nextStatus(this.statuses.get(name), status));
    return status;
  }

  /** A server that sends a message now is online, even if a late last will says otherwise. */
  spoke({ name, instance }: Identity): void {
    const before = this.statuses.get(name);
    if (before === undefined) return;
    const isBack = before.status === 'offline' && before.instance !== instance;
    this.set(name, isBack ? { ...before, status: 'online', instance } : before);
  }

  /** The status to publish for a lost server, if it still counts as online on this connection. */
  obituaryOf({ name, instance }: Identity): ServerStatus | undefined {
    const last = this.statuses.get(name);
    return last === undefined || !this.isValid({ name, instance })
      ? undefined
      : { ...last, status: 'offline', name };
  }

  readonly has = (name: string): boolean => this.statuses.has(name);

  /** Whether a server is online, on this connection. */
  readonly isValid = ({ name, instance }: Identity): boolean =>
    this.isOnline(name) && this.statuses.get(name)?.instance === instance;

  readonly isOnline = (name: string): boolean => this.statuses.get(name)?.status === 'online';

  get all(): readonly (readonly [name: string, status: Status['status']])[] {
    return [...this.statuses].sort().map(([name, { status }]) => [name, status]);
  }

  forget(name: string): void {
    this.statuses.delete(name);
  }

  clear(): void {
    this.statuses.clear();
  }

  private set(name: string, status: Status): void {
    setNewest(this.statuses, name, status, MOST_SERVERS, this.isKept);
  }
}
