/**
 * The owner of a device, by the messages on its topic, in order. All servers hear the same messages of a topic in the same order
 * and fold them by these rules, so that all come to the same owner (docs/decisions/007-one-owner-by-the-order-of-messages.md).
 */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import { decode, parseJson } from '../codecs/index.js';
import { Claim, Owned, ServerStatus } from '../contract/index.js';
import { MAX_LIST_BYTES, MAX_STATUS_BYTES, MOST_CANDIDATES, MOST_SERVERS, setNewest } from './bounded.js';

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
export const readOwned = readFrom(Owned, MAX_LIST_BYTES);

export const isSame = (a: Identity, b: Identity): boolean => a.name === b.name && a.instance === b.instance;

/** The broker retains what is so, not what is wanted. */
export const isRetained = (state: Claim['state']): boolean => state === 'owned' || state === 'released';

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

  /** Whether a server is online, on this connection. */
  readonly isValid = ({ name, instance }: Identity): boolean =>
    this.isOnline(name) && this.known.get(name)?.instance === instance;

  readonly isOnline = (name: string): boolean => this.known.get(name)?.status === 'online';

  get all(): readonly (readonly [name: string, status: Status['status']])[] {
    return [...this.known].sort().map(([name, { status }]) => [name, status]);
  }

  clear(): void {
    this.known.clear();
  }

  private set(name: string, status: Status): void {
    setNewest(this.known, name, status, MOST_SERVERS, this.isKept);
  }
}

/**
 * A possible owner of a device, as far as a server knows that has not heard all messages: undefined is nobody, `anyone` some
 * server that has not told yet what it owns.
 */
export type Candidate = Identity | 'anyone' | undefined;

/** Of a server that has just connected. */
export const ANYONE: readonly Candidate[] = [undefined, 'anyone'];

const isSameCandidate = (a: Candidate, b: Candidate): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && isSame(a, b));

export const distinct = (candidates: readonly Candidate[]): readonly Candidate[] =>
  candidates.filter(
    (candidate, at) => candidates.findIndex((other) => isSameCandidate(candidate, other)) === at,
  );

/**
 * The possible owners of a device after a message on its topic. `isValid`: a server is online, on this connection.
 */
export const nextCandidates = (
  before: readonly Candidate[],
  { state, name, instance }: Claim,
  isValid: (server: Identity) => boolean,
): readonly Candidate[] => {
  const sender = { name, instance };
  const next = (candidate: Candidate): readonly Candidate[] => {
    switch (state) {
      case 'claimed':
        if (candidate === 'anyone') return [candidate, sender];
        return [candidate !== undefined && isValid(candidate) ? candidate : sender];
      case 'owned':
        return [sender];
      case 'released':
      case 'withdrawn':
        if (candidate === 'anyone') return [candidate, undefined];
        return [candidate !== undefined && isSame(candidate, sender) ? undefined : candidate];
    }
  };
  return distinct(before.flatMap(next)).slice(0, MOST_CANDIDATES);
};
