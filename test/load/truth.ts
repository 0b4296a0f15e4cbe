/** Compares the events at a client with the notifications of a device: each once, in order, and no others. */
import * as E from 'fp-ts/lib/Either.js';
import type { DeviceLink } from './witness.js';

/** An event as a client received it. */
export interface Reported {
  /** Milliseconds since the Unix epoch, by the server. */
  readonly at: number;
  /** The content of the event, without session, time and number. */
  readonly says: string;
}

/** The events of one link, from its start to the report of its end. */
export interface Attachment {
  readonly reported: readonly Reported[];
  readonly end: number;
}

/** A notification that clients should have received. */
export interface Due {
  readonly at: number;
  readonly says: string;
  /** The reasons for which the server may drop the notification. `allowance` limits each reason. */
  readonly mayKeep: readonly string[];
}

/** A time in which packets of a device are lost or changed. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The operations of clients and faults on a device. */
export interface Interference {
  readonly lossy: readonly Interval[];
  /** The times at which clients requested a disconnect. */
  readonly disconnects: readonly number[];
}

/** The rules for a kind of device. */
export interface Judged<A extends Attachment> {
  readonly dueOn: (link: DeviceLink, attachment: A) => readonly Due[];
  /** How many notifications the server may drop for a reason. */
  readonly allowance: (reason: string) => number;
}

/** A notification under way is lost with its link: longer than a link lasts without packets, in milliseconds. */
const TAIL_MS = 4_000;
/** The longest time from a request to disconnect to the end of the link. */
const ENDING_MS = 10_000;
/** How long a notification may take to the server. */
const IN_FLIGHT_MS = 1_000;
/** How much later than the server this program may learn of a link. */
const LAG_MS = 1_000;
/** Links that end within this time are distinguished by their notifications. */
const SIMULTANEOUS_MS = 500;
/** The longest time to open a device. Clients must hear of a link that lasts longer. */
const OPENING_MS = 15_000;

const isWithin = (intervals: readonly Interval[], at: number): boolean =>
  intervals.some(({ from, to }) => at >= from && at <= to);

/** The time after which notifications may be missing, if all later notifications are missing too. */
const tailOf = (link: DeviceLink, { end }: Attachment, disconnects: readonly number[]): number => {
  const to = Math.min(link.to, end);
  const requested = disconnects.filter((at) => at > Math.max(link.from, to - ENDING_MS) && at <= link.to);
  return Math.min(to - TAIL_MS, ...requested.map((at) => at - IN_FLIGHT_MS));
};

/** Pairs notifications with events. Left: the text of the first one without a counterpart, and its surroundings. */
export const pair = (
  due: readonly Due[],
  reported: readonly Reported[],
  { tail = Infinity, lossy = [] as readonly Interval[], allowance = (_reason: string) => Infinity } = {},
): E.Either<string, void> => {
  const dead = new Set<string>();
  let furthest = 0;
  const fits = (at: number, index: number, kept: Readonly<Record<string, number>>): boolean => {
    const key = `${at} ${index} ${JSON.stringify(kept)}`;
    if (dead.has(key)) return false;
    const [next, event] = [due[at], reported[index]];
    if (next === undefined && event === undefined) return true;
    furthest = Math.max(furthest, at);
    if (next?.says !== undefined && next.says === event?.says && fits(at + 1, index + 1, kept)) return true;
    const isLost =
      next !== undefined && (isWithin(lossy, next.at) || (event === undefined && next.at > tail));
    if (isLost && fits(at + 1, index, kept)) return true;
    for (const reason of next?.mayKeep ?? []) {
      const count = (kept[reason] ?? 0) + 1;
      if (count > allowance(reason)) continue;
      if (fits(at + 1, index, allowance(reason) === Infinity ? kept : { ...kept, [reason]: count }))
        return true;
    }
    if (event !== undefined && isWithin(lossy, event.at) && fits(at, index + 1, kept)) return true;
    dead.add(key);
    return false;
  };
  if (fits(0, 0, {})) return E.right(undefined);
  const textOf = (list: readonly { readonly at: number; readonly says: string }[]): string =>
    list.map(({ at, says }) => `${at} ${says}`).join(', ');
  const around = due.slice(Math.max(0, furthest - 3), furthest + 3);
  return E.left(
    `at ${due[furthest]?.says ?? 'the end'}, among ${textOf(around)}; reported ${textOf(reported)}`,
  );
};

/** The possible links of an attachment, first the link whose end is nearest to the reported end. */
const candidatesOf = (links: readonly DeviceLink[], { reported, end }: Attachment): readonly DeviceLink[] => {
  const begun = (reported[0]?.at ?? end) + LAG_MS;
  const distance = ({ to }: DeviceLink): number => (to === end ? 0 : Math.abs(to - end));
  const ordered = links.filter(({ from }) => from <= begun).sort((a, b) => distance(a) - distance(b));
  const [nearest] = ordered;
  return nearest === undefined
    ? []
    : ordered.filter((link) => distance(link) <= distance(nearest) + SIMULTANEOUS_MS);
};

/** The differences between the events of one device at one client and its notifications. */
export const differences = <A extends Attachment>(
  links: readonly DeviceLink[],
  attachments: readonly A[],
  { lossy, disconnects }: Interference,
  { dueOn, allowance }: Judged<A>,
): readonly string[] => {
  const found: string[] = [];
  const attached = new Set<DeviceLink>();
  let left = links;
  for (const attachment of attachments) {
    const tried = candidatesOf(left, attachment).map((link) => {
      const tail = tailOf(link, attachment, disconnects);
      return { link, paired: pair(dueOn(link, attachment), attachment.reported, { tail, lossy, allowance }) };
    });
    const chosen = tried.find(({ paired }) => E.isRight(paired)) ?? tried[0];
    if (chosen === undefined) {
      found.push(`events without a link: ${JSON.stringify(attachment)}`);
      continue;
    }
    const { link, paired } = chosen;
    attached.add(link);
    left = left.slice(left.indexOf(link) + 1);
    if (E.isLeft(paired)) found.push(`link from ${link.from} to ${link.to} ms: ${paired.left}`);
  }
  for (const link of links) {
    if (link.to - link.from > OPENING_MS && !attached.has(link))
      found.push(`nothing was reported of the link of ${new Date(link.from).toISOString()}`);
  }
  return found;
};
