/** Whether clients received what the radio delivered: each notification once, in order, and nothing else. */
import * as E from 'fp-ts/lib/Either.js';
import type { LinkLife, Passed } from './capture.js';

/** An event as a client received it. */
export interface Reported {
  /** Milliseconds since the Unix epoch, by the server. */
  readonly at: number;
  /** Its content, without session, time and the like. */
  readonly says: string;
}

/** The reports to the clients of one link, from when the device was attached to when its end was reported, at `end`. */
export interface Attachment {
  readonly reported: readonly Reported[];
  readonly end: number;
}

/** A notification on its way to the clients. */
export interface Due {
  readonly at: number;
  readonly says: string;
  /** Why the server may keep it to itself, if it may: of those with the same reason, so many. */
  readonly mayKeep: readonly string[];
}

/**
 * Pairs what was due with what was reported, in order. Left: the first notification that was not reported, or the first event
 * that had no reason. `allowance`: how many may be kept for a reason.
 */
export const pair = (
  due: readonly Due[],
  reported: readonly Reported[],
  allowance: (reason: string) => number = () => Infinity,
): E.Either<string, void> => {
  const dead = new Set<string>();
  let furthest = 0;
  const rest = (at: number, index: number, kept: Readonly<Record<string, number>>): boolean => {
    const key = `${at} ${index} ${JSON.stringify(kept)}`;
    if (dead.has(key)) return false;
    const next = due[at];
    if (next === undefined) return index === reported.length;
    furthest = Math.max(furthest, at);
    if (reported[index]?.says === next.says && rest(at + 1, index + 1, kept)) return true;
    for (const reason of next.mayKeep) {
      const count = (kept[reason] ?? 0) + 1;
      if (count > allowance(reason)) continue;
      const counted = allowance(reason) === Infinity ? kept : { ...kept, [reason]: count };
      if (rest(at + 1, index, counted)) return true;
    }
    dead.add(key);
    return false;
  };
  if (rest(0, 0, {})) return E.right(undefined);
  const around = due.slice(Math.max(0, furthest - 3), furthest + 3).map(({ says, at }) => `${at} ${says}`);
  return E.left(
    `at ${due[furthest]?.says ?? 'the end'}, among ${around.join(', ')}; reported ${reported
      .map(({ says, at }) => `${at} ${says}`)
      .join(', ')}`,
  );
};

/** A message about a pairing that failed, if it did. */
export const unlike = (
  address: string,
  { from, to }: LinkLife,
  paired: E.Either<string, void>,
): readonly string[] =>
  E.isLeft(paired) ? [`${address}, link from ${from} to ${to} ms: ${paired.left}`] : [];

/**
 * How long what the radio delivered may lie in a socket before the server reads it, milliseconds: what it delivers in
 * the moment in which the server ends a link counts for neither.
 */
const IN_FLIGHT_MS = 1_000;

/** A disconnect that was requested so long before the end of a link was not of this link, milliseconds. */
const ENDING_MS = 10_000;

/** The server's times are whole milliseconds, rounded down. */
const ROUNDED_MS = 1;

/**
 * Whether a notification came when the server had let go of the link, or was about to. `disconnects`: when clients
 * requested them. An end by the server itself is reported immediately, and on the air maybe later, after other commands.
 */
export const isAfterEnd = (
  link: LinkLife,
  { end }: Attachment,
  disconnects: readonly number[],
  { at }: Passed,
): boolean =>
  [...disconnects, link.asked ?? Infinity, end + ROUNDED_MS].some(
    (asked) =>
      asked > Math.max(link.from, link.to - ENDING_MS) && asked <= link.to && at > asked - IN_FLIGHT_MS,
  );

/**
 * The link of each attachment, in order: later than the one before, and there at its first event; of several the one
 * whose end is nearest to the reported end. Between them are links on which a device was never attached.
 */
export const linksOf = (
  links: readonly LinkLife[],
  attachments: readonly Attachment[],
): readonly (LinkLife | undefined)[] => {
  let next = 0;
  return attachments.map(({ reported, end }) => {
    const begun = (reported[0]?.at ?? end) + ROUNDED_MS;
    const [nearest] = links
      .slice(next)
      .filter(({ from }) => from <= begun)
      .sort((a, b) => Math.abs(a.to - end) - Math.abs(b.to - end));
    if (nearest !== undefined) next = links.indexOf(nearest) + 1;
    return nearest;
  });
};
