/** The conditions that must hold when a run is over. */
import { existsSync, readFileSync } from 'node:fs';
import type { DetailedClockEvent } from '../../src/clock/contract.js';
import type { DetailedDiceEvent } from '../../src/dice/contract.js';
import { ask, control, type Rig } from './rig.js';
import { readCapture, type Capture } from './capture.js';
import type { ClockOperations } from './clock-operations.js';
import { clockFaults } from './clock-truth.js';
import type { DiceOperations } from './dice-operations.js';
import { diceFaults } from './dice-truth.js';
import type { Tally } from './tally.js';
import type { Listener } from '../../src/testing/internal/listener.js';

interface Counts {
  readonly dice: number;
  readonly clocks: number;
  readonly links: number;
}

/** How many links servers, devices and the radio believe in. */
export const linkCounts = async (rig: Rig, tally: Tally): Promise<readonly Counts[]> => {
  const devices = (await control(rig, tally, '/devices')) as readonly {
    kind: string;
    connected: boolean;
  }[];
  const adapters = (await control(rig, tally, '/adapters')) as readonly { links: number }[];
  const sessions = (await ask(rig.urls.dice, '/api/sessions'))?.body as readonly { connected: boolean }[];
  const linked = (await ask(rig.urls.clock, '/api/devices'))?.body as readonly unknown[];
  const connected = (kind: string): number =>
    devices.filter((device) => device.kind === kind && device.connected).length;
  const links = adapters.reduce((sum, adapter) => sum + adapter.links, 0);
  return [
    { dice: sessions.filter((session) => session.connected).length, clocks: linked.length, links },
    { dice: connected('dice'), clocks: connected('clock'), links },
  ];
};

/** Of an event as it came. */
export const numberOf = (event: string): number => (JSON.parse(event) as { readonly seq: number }).seq;

const hostOf = (address: string): 'server' | 'proxy' | undefined => {
  if (address.startsWith('02:A1:B0:')) return 'server';
  return address.startsWith('02:A1:B2:') ? 'proxy' : undefined;
};

/** The capture of what began at `from` or later. */
const captureSince = (file: string, from: number): Capture => {
  const { links, ...capture } = readCapture(
    [`${file}.1`, file].filter((part) => existsSync(part)).map((part) => readFileSync(part)),
    hostOf,
  );
  return { ...capture, links: links.filter((link) => link.from >= from) };
};

const unlikeFirst = (lists: readonly (readonly string[])[], what: string, tally: Tally): void => {
  const [first = []] = lists;
  for (const [index, list] of lists.entries()) {
    const at = [...first, ...list].findIndex((_, place) => list[place] !== first[place]);
    if (at < 0) continue;
    tally.problem(
      `client ${index + 1} of the ${what} has ${list.length} events, the first ${first.length}; ` +
        `they differ from ${at} on: ${list[at] ?? 'nothing'} against ${first[at] ?? 'nothing'}`,
    );
  }
};

const rising = (events: readonly { readonly seq: number }[]): boolean =>
  events.every(({ seq }, index) => seq > (events[index - 1]?.seq ?? -1));

/** Dice: all clients alike, and each received what the radio delivered. */
const judgeDice = (rig: Rig, seen: Capture, operations: DiceOperations, tally: Tally): number => {
  unlikeFirst(
    rig.diceClients.map(({ texts }) => texts),
    'dice',
    tally,
  );
  const events = (rig.diceClients[0]?.unread ?? []) as readonly DetailedDiceEvent[];
  if (!rising(events)) tally.problem('the events of the dice are not in the order of their numbers');
  for (const address of rig.dice) {
    diceFaults(seen, address, events, tally.disconnectsOf(address)).forEach((fault) => tally.problem(fault));
  }
  const count = (kind: string): number => events.filter((event) => event.kind === kind).length;
  const attached = operations.seen.size + count('Reconnected');
  if (attached !== count('Disconnected')) {
    tally.problem(`dice were attached ${attached} times and lost ${count('Disconnected')} times`);
  }
  return events.length;
};

/** Clocks: the same while all clients were subscribed, and an acknowledgement for each command that was done. */
const judgeClocks = (
  rig: Rig,
  seen: Capture,
  { clocks: operations, subscribed, last }: Evidence,
  tally: Tally,
): number => {
  const shared = ({ texts }: Listener): readonly string[] =>
    texts.filter((text) => {
      const seq = numberOf(text);
      return seq > subscribed.seq && seq <= last;
    });
  unlikeFirst(rig.clockClients.map(shared), 'clocks', tally);
  const events = (rig.clockClients[0]?.unread ?? []) as readonly DetailedClockEvent[];
  if (!rising(events)) tally.problem('the events of the clocks are not in the order of their numbers');
  for (const address of rig.clocks) {
    const disconnects = tally.disconnectsOf(address);
    clockFaults(seen, address, events, subscribed.at, disconnects).forEach((fault) => tally.problem(fault));
  }
  const acks = new Map<string, number>();
  for (const { event, address, data } of events) {
    if (event !== 'ack' || !('status' in data) || data.status !== 'success') continue;
    const key = `${address} ${data.command}`;
    acks.set(key, (acks.get(key) ?? 0) + 1);
  }
  for (const key of new Set([...acks.keys(), ...operations.acknowledged.keys()])) {
    const [reported = 0, due = 0] = [acks.get(key), operations.acknowledged.get(key)];
    if (reported !== due) tally.problem(`${key}: ${due} were done, ${reported} were reported of`);
  }
  return events.length;
};

export interface Evidence {
  readonly traceFile: string;
  /** When nothing was connected. */
  readonly startedAt: number;
  readonly dice: DiceOperations;
  readonly clocks: ClockOperations;
  /** When all clients had subscribed to all clocks, and the number of the last event by then. */
  readonly subscribed: { readonly at: number; readonly seq: number };
  /** The number of the last event of clocks that all clients must have. */
  readonly last: number;
}

/** The compared events. */
export interface Compared {
  readonly links: number;
  readonly notifications: number;
  /** To each client. */
  readonly dice: number;
  readonly clocks: number;
}

/** Compares what clients received with what the radio delivered. */
export const judge = (rig: Rig, evidence: Evidence, tally: Tally): Compared => {
  const seen = captureSince(evidence.traceFile, evidence.startedAt);
  if (seen.begins > evidence.startedAt) tally.problem('the capture does not reach back to the beginning');
  const dice = judgeDice(rig, seen, evidence.dice, tally);
  const clocks = judgeClocks(rig, seen, evidence, tally);
  const notifications = seen.links.reduce((sum, link) => sum + link.notified.length, 0);
  return { links: seen.links.length, notifications, dice, clocks };
};
