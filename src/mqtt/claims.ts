/** The messages by which servers tell of themselves and of the devices that they claim. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import { decode, parseJson } from '../codecs/index.js';
import { Claim, OwnedDevices, ServerStatus } from '../contract/index.js';
import { MAX_LIST_BYTES, MAX_STATUS_BYTES, MOST_SERVERS, setNewest } from './bounded.js';

/** A server, as long as it has its connection to the broker. */
export interface Identity {
  readonly name: string;
  /** Of this connection: never the same again, so that nothing of an earlier one counts. */
  readonly instance: string;
}

/** Reads a message of a server; undefined if it is invalid, or has more than `most` bytes. */
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
export const readOwned = readFrom(OwnedDevices, MAX_LIST_BYTES);

export const isSame = (a: Identity, b: Identity): boolean => a.name === b.name && a.instance === b.instance;

export type Status = Pick<ServerStatus, 'status' | 'instance' | 'version'>;

/** The status of a server after a message on its topic: that an earlier connection has ended says nothing of this one. */
const nextStatus = (before: Status | undefined, heard: Status): Status =>
  before?.status === 'online' && heard.status === 'offline' && before.instance !== heard.instance
    ? before
    : heard;

/** The servers of a fleet, by what is on their topics: the newest, and those that are kept. */
export class Servers {
  private readonly known = new Map<string, Status>();

  constructor(private readonly isKept: (name: string) => boolean = () => false) {}

  /** Takes the message of a server; undefined if it is invalid. */
  receive(name: string, payload: Buffer): Status | undefined {
    const status = readStatus(payload);
    if (status !== undefined) this.set(name, nextStatus(this.known.get(name), status));
    return status;
  }

  /** A server that says something now is online, whatever a last will said that came late. */
  spoke({ name, instance }: Identity): void {
    const before = this.known.get(name);
    if (before === undefined) return;
    const isBack = before.status === 'offline' && before.instance !== instance;
    this.set(name, isBack ? { ...before, status: 'online', instance } : before);
  }

  /** What is to be said of a server that is gone, if it is still taken for online on this connection. */
  obituaryOf({ name, instance }: Identity): ServerStatus | undefined {
    const known = this.known.get(name);
    return known === undefined || !this.isValid({ name, instance })
      ? undefined
      : { ...known, status: 'offline', name };
  }

  readonly has = (name: string): boolean => this.known.has(name);

  /** Whether a server is online, on this connection. */
  readonly isValid = ({ name, instance }: Identity): boolean =>
    this.isOnline(name) && this.known.get(name)?.instance === instance;

  readonly isOnline = (name: string): boolean => this.known.get(name)?.status === 'online';

  get all(): readonly (readonly [name: string, status: Status['status']])[] {
    return [...this.known].sort().map(([name, { status }]) => [name, status]);
  }

  forget(name: string): void {
    this.known.delete(name);
  }

  clear(): void {
    this.known.clear();
  }

  private set(name: string, status: Status): void {
    setNewest(this.known, name, status, MOST_SERVERS, this.isKept);
  }
}
