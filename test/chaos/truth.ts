/** Whether clients were told what the radio delivered: each notification once, in order, and nothing else. */
import * as E from 'fp-ts/lib/Either.js';
import type { LinkLife, Passed } from './capture.js';

/** An event as a client received it. */
export interface Told {
  /** Milliseconds since the Unix epoch, by the server. */
  readonly at: number;
  /** What it says, without session, time and the like. */
  readonly says: string;
}

/** What the clients were told of one link, from when the device was attached to when it was lost. */
export interface Attachment {
  readonly link: LinkLife;
  readonly told: readonly Told[];
}

/** A notification on its way to the clients. */
export interface Due {
  readonly at: number;
  readonly says: string;
  /** Why the server may keep it to itself, if it may: of those with the same reason, so many. */
  readonly mayKeep: readonly string[];
}

/**
 * Pairs what was due with what was told, in order. Left: the first notification that was not told, or the first event
 * that had no reason. `allowance`: how many may be kept for a reason.
 */
export const pair = (
  due: readonly Due[],
  told: readonly Told[],
  allowance: (reason: string) => number = () => Infinity,
): E.Either<string, void> => {
  const dead = new Set<string>();
  let furthest = 0;
  const rest = (at: number, heard: number, kept: Readonly<Record<string, number>>): boolean => {
    const key = `${at} ${heard} ${JSON.stringify(kept)}`;
    if (dead.has(key)) return false;
    const next = due[at];
    if (next === undefined) return heard === told.length;
    furthest = Math.max(furthest, at);
    if (told[heard]?.says === next.says && rest(at + 1, heard + 1, kept)) return true;
    for (const reason of next.mayKeep) {
      const count = (kept[reason] ?? 0) + 1;
      if (count > allowance(reason)) continue;
      const counted = allowance(reason) === Infinity ? kept : { ...kept, [reason]: count };
      if (rest(at + 1, heard, counted)) return true;
    }
    dead.add(key);
    return false;
  };
  if (rest(0, 0, {})) return E.right(undefined);
  const around = due.slice(Math.max(0, furthest - 3), furthest + 3).map(({ says, at }) => `${at} ${says}`);
  return E.left(
    `at ${due[furthest]?.says ?? 'the end'}, among ${around.join(', ')}; told ${told
      .map(({ says, at }) => `${at} ${says}`)
      .join(', ')}`,
  );
};

/**
 * How long what the radio delivered may lie in a socket before the server reads it, milliseconds: what it delivers in
 * the moment in which the server lets go of a link is nobody's.
 */
const IN_FLIGHT_MS = 1_000;

/** How long the server's wish for the end may wait for the answer to the command before, milliseconds (docs/radio.md). */
const COMMAND_TIMEOUT_MS = 2_000;

/** Whether a notification came when the server had let go of the link, or was about to. */
export const isAfterEnd = (link: LinkLife, { at }: Passed): boolean =>
  link.asked !== undefined && at > link.asked - COMMAND_TIMEOUT_MS - IN_FLIGHT_MS;

/** The link that was there at a moment: the last one that had begun. */
export const linkAt = (links: readonly LinkLife[], at: number): LinkLife | undefined =>
  links.filter(({ from }) => from <= at).at(-1);
