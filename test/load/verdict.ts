/** The conditions that must hold at the end of a window. */
import type { DetailedClockEvent } from '../../src/clock/contract.js';
import type { DetailedDiceEvent } from '../../src/dice/contract.js';
import type { Listener } from '../../simulators/testing/internal/listener.js';
import { clockDifferences } from './clock-truth.js';
import { diceDifferences } from './dice-truth.js';
import type { Operations } from './operations.js';
import type { Site } from './site.js';
import type { Tally } from './tally.js';
import type { Interference, Interval } from './truth.js';
import type { DeviceLink } from './witness.js';

interface Counts {
  readonly dice: number;
  readonly clocks: number;
  readonly links: number;
}

/** The numbers of links as servers, devices and the radio report them. */
export const linkCounts = async ({ http, control }: Site): Promise<readonly Counts[]> => {
  const devices = await control.devices();
  const adapters = (await control.get('/adapters')) as readonly { links: number }[];
  const sessions = (await http.dice.get('/api/sessions')).json as readonly { connected: boolean }[];
  const linked = (await http.clock.get('/api/devices')).json as readonly unknown[];
  const connected = (kind: string): number =>
    devices.filter((device) => device.kind === kind && device.connected).length;
  const links = adapters.reduce((sum, adapter) => sum + adapter.links, 0);
  return [
    { dice: sessions.filter((session) => session.connected).length, clocks: linked.length, links },
    { dice: connected('dice'), clocks: connected('clock'), links },
  ];
};

/** The number in the text of an event. */
export const numberOf = (event: string): number => (JSON.parse(event) as { readonly seq: number }).seq;

/** A fault in the answer of `GET /chaos/schedule`. */
export interface Scheduled {
  readonly at_ms: number;
  readonly type: string;
  readonly device: string;
  readonly for_ms?: number;
  readonly stage?: string;
}

/** Faults that lose or change notifications. Without a stage they act on packets of data. */
const LOSSY: readonly string[] = ['silence', 'drop', 'corrupt'];
/** How much earlier or later than scheduled a fault may act. */
const EARLY_MS = 100;
const LATE_MS = 1_500;

/** The times in which scheduled faults may lose or change notifications of a device. The schedule starts at `begun`. */
export const lossyFor = (
  address: string,
  schedule: readonly Scheduled[],
  begun: number,
): readonly Interval[] =>
  schedule
    .filter(({ type, stage, device }) => {
      const isData = stage === undefined || stage.startsWith('acl');
      return LOSSY.includes(type) && isData && (device === address || !device.includes(':'));
    })
    .map(({ at_ms, for_ms = 0 }) => ({
      from: begun + at_ms - EARLY_MS,
      to: begun + at_ms + for_ms + LATE_MS,
    }));

const compareLists = (lists: readonly (readonly string[])[], kind: string, tally: Tally): void => {
  const [first = []] = lists;
  for (const [index, list] of lists.entries()) {
    const at = [...first, ...list].findIndex((_, place) => list[place] !== first[place]);
    if (at < 0) continue;
    tally.problem(
      `client ${index + 1} of the ${kind} has ${list.length} events, the first ${first.length}; ` +
        `they differ from ${at} on: ${list[at] ?? 'nothing'} against ${first[at] ?? 'nothing'}`,
    );
  }
};

export interface Evidence {
  readonly links: readonly DeviceLink[];
  readonly operations: Operations;
  readonly interferenceWith: (address: string) => Interference;
  /** The time at which all clients had subscribed to all clocks, and the number of the last event before. */
  readonly subscribed: { readonly at: number; readonly seq: number };
  /** The number of the last event of clocks that all clients must have. */
  readonly last: number;
}

/** Reports events out of order and differences from the notifications; returns the events of all devices of a kind. */
const judgeKind = <E extends DetailedDiceEvent | DetailedClockEvent>(
  { texts }: Listener,
  addresses: readonly string[],
  { links, interferenceWith }: Evidence,
  tally: Tally,
  differencesOf: (
    links: readonly DeviceLink[],
    events: readonly E[],
    interference: Interference,
  ) => readonly string[],
): readonly E[] => {
  const events = texts.map((text) => JSON.parse(text) as E);
  if (events.some(({ seq }, index) => seq <= (events[index - 1]?.seq ?? -1)))
    tally.problem('events are not in the order of their numbers');
  for (const address of addresses) {
    const deviations = differencesOf(
      links.filter((link) => link.address === address),
      events.filter((event) => event.address === address),
      interferenceWith(address),
    );
    for (const difference of deviations) tally.problem(`${address}: ${difference}`);
  }
  tally.compares('links', links.filter(({ address }) => addresses.includes(address)).length);
  tally.compares('events to each client', events.length);
  return events;
};

/** All clients of dice must have the same events, which must match the notifications of the dice. */
const judgeDice = ({ dice, diceClients }: Site, evidence: Evidence, tally: Tally): void => {
  const [first] = diceClients;
  if (first === undefined) return;
  compareLists(
    diceClients.map(({ texts }) => texts),
    'dice',
    tally,
  );
  const events = judgeKind(first, dice, evidence, tally, diceDifferences);
  const count = (kind: string): number => events.filter((event) => event.kind === kind).length;
  const attached = evidence.operations.seen.size + count('Reconnected');
  if (attached !== count('Disconnected'))
    tally.problem(`dice were attached ${attached} times and lost ${count('Disconnected')} times`);
};

/** All clients of clocks must have the same events while all are subscribed, and an acknowledgement of each successful command. */
const judgeClocks = ({ clocks, clockClients }: Site, evidence: Evidence, tally: Tally): void => {
  const { operations, subscribed, last } = evidence;
  const [first] = clockClients;
  if (first === undefined) return;
  const shared = ({ texts }: Listener): readonly string[] =>
    texts.filter((text) => numberOf(text) > subscribed.seq && numberOf(text) <= last);
  compareLists(clockClients.map(shared), 'clocks', tally);
  const events = judgeKind<DetailedClockEvent>(
    first,
    clocks,
    evidence,
    tally,
    (links, events, interference) => clockDifferences(links, events, subscribed.at, interference),
  );
  const acks = new Map<string, number>();
  for (const { event, address, data } of events) {
    if (event !== 'ack' || !('status' in data) || data.status !== 'success') continue;
    const key = `${address} ${data.command}`;
    acks.set(key, (acks.get(key) ?? 0) + 1);
  }
  for (const key of new Set([...acks.keys(), ...operations.acknowledged.keys()])) {
    const [reported = 0, due = 0] = [acks.get(key), operations.acknowledged.get(key)];
    if (reported !== due) tally.problem(`${key}: ${due} succeeded, ${reported} were acknowledged`);
  }
};

/** Compares the events of clients with the notifications of devices. */
export const judge = (site: Site, evidence: Evidence, tally: Tally): void => {
  judgeDice(site, evidence, tally);
  judgeClocks(site, evidence, tally);
};
