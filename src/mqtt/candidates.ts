/**
 * The possible owners of devices, by the messages on their topics, in order. All servers that listen to a topic hear the same
 * messages in the same order and fold them by these rules (docs/decisions/007-one-owner-by-the-order-of-messages.md).
 */
import type { Claim } from '../contract/index.js';
import { MOST_CANDIDATES } from './bounded.js';
import { isSame, type Identity } from './claims.js';

/** The certain owner of a device; undefined: nobody owns it. */
export interface KnownOwner {
  readonly owner: Identity | undefined;
}

/** `unknown`: the server's topic has not been read yet. */
export type Validity = 'valid' | 'void' | 'unknown';

/** A possible owner; undefined: nobody; `unseen`: an owner whose message a later claim replaced before it could be read. */
type Candidate = Identity | 'unseen' | undefined;

export interface DeviceView {
  readonly candidates: readonly Candidate[];
  /** The retained message, the last one on the topic. */
  readonly last: Claim | undefined;
  /** The highest epoch seen. */
  readonly epoch: number;
}

const isSameCandidate = (a: Candidate, b: Candidate): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && isSame(a, b));

const distinct = (candidates: readonly Candidate[]): readonly Candidate[] =>
  candidates
    .filter((candidate, at) => candidates.findIndex((other) => isSameCandidate(candidate, other)) === at)
    .slice(0, MOST_CANDIDATES);

/** Whether the topic of a device keeps a message: a failed claim does not show the owner. */
export const isRetained = ({ state }: Claim): boolean => state !== 'withdrawn';

/** The view of a device without a retained owner. */
export const NOBODY: DeviceView = { candidates: [undefined], last: undefined, epoch: 0 };

/** The view after the retained message alone. */
export const viewOf = (claim: Claim): DeviceView => {
  const { name, instance, state, epoch } = claim;
  const sender = { name, instance };
  const candidates: Record<Claim['state'], readonly Candidate[]> = {
    claimed: [sender, 'unseen'],
    owned: [sender],
    released: [undefined],
    withdrawn: [undefined, 'unseen'],
  };
  return { candidates: candidates[state], last: claim, epoch };
};

/** The view after a new message. */
export const nextView = (
  { candidates, last, epoch }: DeviceView,
  claim: Claim,
  validityOf: (server: Identity) => Validity,
): DeviceView => {
  const { name, instance, state } = claim;
  const sender = { name, instance };
  const next = (candidate: Candidate): readonly Candidate[] => {
    if (state === 'owned') return [sender];
    if (state === 'withdrawn') return [isSameCandidate(candidate, sender) ? undefined : candidate];
    if (state === 'released')
      return [candidate === 'unseen' || isSameCandidate(candidate, sender) ? undefined : candidate];
    if (candidate === undefined) return [sender];
    const validity = candidate === 'unseen' ? 'unknown' : validityOf(candidate);
    return validity === 'valid' ? [candidate] : validity === 'void' ? [sender] : [candidate, sender];
  };
  return {
    candidates: distinct(candidates.flatMap(next)),
    last: isRetained(claim) ? claim : last,
    epoch: Math.max(epoch, claim.epoch),
  };
};

const current = (view: DeviceView, validityOf: (server: Identity) => Validity): readonly Candidate[] =>
  distinct(
    view.candidates.map((candidate) =>
      typeof candidate === 'object' && validityOf(candidate) === 'void' ? undefined : candidate,
    ),
  );

/** The owner, unless there are several candidates. */
export const ownerIn = (
  view: DeviceView,
  validityOf: (server: Identity) => Validity,
): KnownOwner | undefined => {
  const [owner, ...rivals] = current(view, validityOf);
  if (rivals.length > 0 || owner === 'unseen') return undefined;
  return owner === undefined || validityOf(owner) === 'valid' ? { owner } : undefined;
};

/** Whether the owner is nobody or `server`, and no message will show which. */
export const isOpenTo = (
  view: DeviceView,
  server: Identity,
  validityOf: (server: Identity) => Validity,
): boolean => {
  const candidates = current(view, validityOf);
  return (
    candidates.length > 1 &&
    candidates.every(
      (candidate) => candidate === undefined || (typeof candidate === 'object' && isSame(candidate, server)),
    )
  );
};

/** Whether an owner may be unseen, and the server that would have revealed the owner is gone. */
export const isDoubtful = (view: DeviceView, validityOf: (server: Identity) => Validity): boolean =>
  view.candidates.includes('unseen') && (view.last === undefined || validityOf(view.last) === 'void');

/** The view after the time in which an unseen owner would have sent a message. */
export const withoutUnseen = (view: DeviceView): DeviceView => {
  const seen = view.candidates.filter((candidate) => candidate !== 'unseen');
  return { ...view, candidates: seen.length === 0 ? [undefined] : seen };
};

/** The servers that a view names, whose status decides about the owner. */
export const serversIn = ({ candidates, last }: DeviceView): readonly string[] => [
  ...candidates.flatMap((candidate) => (typeof candidate === 'object' ? [candidate.name] : [])),
  ...(last === undefined ? [] : [last.name]),
];
