/**
 * Who has a device, by what was said on its topic, in order. All servers hear the same messages of a topic in the same order
 * and fold them by these rules, so that all come to the same owner (docs/decisions/007-one-owner-by-the-order-of-messages.md).
 */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import { decode, parseJson } from '../codecs/index.js';
import { Claim, ServerStatus } from '../contract/index.js';

/** A server, as long as it has its connection to the broker. */
export interface Identity {
  readonly name: string;
  /** Of this connection: never the same again, so that nothing of an earlier one counts. */
  readonly instance: string;
}

const read =
  <A>(codec: t.Decoder<unknown, A>) =>
  (payload: Buffer): A | undefined =>
    pipe(
      parseJson(payload.toString('utf8'), 'the payload'),
      E.chain(decode(codec, 'the payload')),
      E.getOrElseW(() => undefined),
    );
export const readStatus = read(ServerStatus);
export const readClaim = read(Claim);

export const isSame = (a: Identity, b: Identity): boolean => a.name === b.name && a.instance === b.instance;

export type Status = Pick<ServerStatus, 'status' | 'instance'>;

/** The status of a server after a message on its topic: that an earlier connection has ended says nothing of this one. */
export const nextStatus = (before: Status | undefined, heard: Status): Status =>
  before?.status === 'online' && heard.status === 'offline' && before.instance !== heard.instance
    ? before
    : heard;

/**
 * The owner of a device after a message on its topic. `isValid`: a server is online, on this
 * connection.
 */
export const nextOwner = (
  before: Identity | undefined,
  { state, name, instance }: Claim,
  isValid: (server: Identity) => boolean,
): Identity | undefined => {
  const sender = { name, instance };
  switch (state) {
    case 'claimed':
      return before === undefined || !isValid(before) ? sender : before;
    case 'owned':
      return sender;
    case 'released':
      return before !== undefined && isSame(before, sender) ? undefined : before;
  }
};
