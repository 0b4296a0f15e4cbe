/** Compares the events at a client with the notifications of a die (docs/godice-protocol.md §4). */
import type { DetailedDiceEvent } from '../../src/dice/contract.js';
import { differences, type Attachment, type Due, type Interference, type Reported } from './truth.js';
import type { DeviceLink } from './witness.js';

const ASK_BATTERY = 0x03;
const INITIALISE = 0x19;
/** The server may take a level for the answer that the die sent up to so long before the request. */
const ASKING_MS = 1_000;

const EVENTS: Readonly<Record<string, string>> = {
  ...{ R: 'RollStart', Tap: 'Tap', DTap: 'DoubleTap', Bat: 'BatteryLevel', Char: 'Charging' },
  ...{ S: 'Stable', FS: 'FakeStable', TS: 'TiltStable', MS: 'MoveStable' },
};

/** The event of a notification as text: `RollStart`, `Stable 1,2,3`, `BatteryLevel 57`. Undefined without an event. */
const saysNotified = (value: Buffer): string | undefined => {
  const [tag = ''] = /^(Bat|Char|DTap|Tap|[FTM]?S|R)/.exec(value.toString('latin1')) ?? [];
  const kind = EVENTS[tag];
  const values = [...value.subarray(tag.length)];
  if (kind === undefined || values.length === 0) return kind;
  if (kind === 'Charging') return `${kind} ${values[0] === 1}`;
  return `${kind} ${kind === 'BatteryLevel' ? values[0] : new Int8Array(values).join(',')}`;
};

const saysReported = (event: DetailedDiceEvent): string => {
  if ('acceleration' in event && event.acceleration !== null) {
    const { x, y, z } = event.acceleration;
    return `${event.kind} ${x},${y},${z}`;
  }
  if ('level' in event) return `${event.kind} ${event.level}`;
  return 'charging' in event ? `${event.kind} ${event.charging}` : event.kind;
};

/** `rolling`: clients saw the start of a roll, but not its end, before the link was lost. */
interface DieAttachment extends Attachment {
  readonly rolling: boolean;
}

/**
 * The first notification of each kind after the initialisation is the state of the die, not an event; a rest only if it
 * does not end a roll (`rolled`).
 */
const burstReason = (says: string, rolled: boolean): string | undefined => {
  const [kind = ''] = says.split(' ');
  if (kind === 'BatteryLevel' || kind === 'Charging') return kind;
  return kind.endsWith('Stable') && !rolled ? 'rest' : undefined;
};

const dueOn = (link: DeviceLink, { rolling }: DieAttachment): readonly Due[] => {
  const questions = link.written.filter(({ value }) => value[0] === ASK_BATTERY);
  const initialised = link.written.find(({ value }) => value[0] === INITIALISE)?.at ?? Infinity;
  let rolled = rolling;
  let lastRest: string | undefined;
  const burst = new Set<string>();
  return link.notified.flatMap(({ at, value }): readonly Due[] => {
    const says = saysNotified(value);
    if (says === undefined) return [];
    const mayKeep: string[] = [];
    const reason = burstReason(says, rolled);
    if (reason !== undefined && !burst.has(reason)) mayKeep.push(reason);
    if (reason !== undefined && at > initialised) burst.add(reason);
    // If a roll ends during the initialisation, the die notifies its end twice: then, and in the burst.
    if (says === lastRest) mayKeep.push('the same rest');
    if (says.startsWith('BatteryLevel')) {
      if (questions.some((question) => question.at < at + ASKING_MS))
        mayKeep.push(`answer of ${questions.length}`);
      // A request at the end of the link may never reach the die.
      if (at > link.to - ASKING_MS) mayKeep.push('answer at the end');
    }
    if (says === 'RollStart') [rolled, lastRest] = [true, undefined];
    if (says.includes('Stable ')) {
      lastRest = says;
      if (at <= initialised) rolled = false;
    }
    return [{ at, says, mayKeep }];
  });
};

const allowance = (reason: string): number =>
  reason.startsWith('answer of') ? Number(reason.slice('answer of '.length)) : 1;

const attachmentsOf = (events: readonly DetailedDiceEvent[]): readonly DieAttachment[] => {
  const attachments: DieAttachment[] = [];
  let reported: Reported[] = [];
  let session: string | undefined;
  let rolling = false;
  let rollingAtStart = false;
  for (const event of events) {
    const at = Date.parse(event.time);
    if (event.session_id !== session) {
      session = event.session_id;
      rolling = false;
      rollingAtStart = false;
    }
    if (event.kind === 'RollStart') rolling = true;
    if ('acceleration' in event) rolling = false;
    if (event.kind === 'Disconnected') {
      attachments.push({ end: at, reported, rolling: rollingAtStart });
      reported = [];
      rollingAtStart = rolling;
    } else if (event.kind !== 'Reconnected') reported.push({ at, says: saysReported(event) });
  }
  if (reported.length > 0) attachments.push({ end: Infinity, reported, rolling: rollingAtStart });
  return attachments;
};

/** `events`: from one die to one client. */
export const diceDifferences = (
  links: readonly DeviceLink[],
  events: readonly DetailedDiceEvent[],
  interference: Interference,
): readonly string[] => differences(links, attachmentsOf(events), interference, { dueOn, allowance });
