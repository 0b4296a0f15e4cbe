import * as E from 'fp-ts/lib/Either.js';
import type { DetailedDiceEvent } from '../../src/dice/contract.js';
import { decodeNotification } from '../../src/dice/drivers/godice/protocol/index.js';
import type { Capture, LinkLife, Passed } from './capture.js';
import { isAfterEnd, linksOf, pair, unlike, type Attachment, type Due, type Reported } from './truth.js';

/** 0x6E400003… as it is on the air. */
const NUS_NOTIFY = '9ecadc240ee5a9e093f3a3b50300406e';
const ASK_BATTERY = 0x03;
const INITIALISE = 0x19;
/** A level that comes before the radio has the request may still be taken for its response. */
const ASKING_MS = 1_000;
/** A link that lasts longer than a die may take to be opened must be reported to clients, milliseconds. */
const OPENING_MS = 15_000;

/** The event of a notification by the docs, as text: `RollStart`, `Stable 1,2,3`, `BatteryLevel 57`. */
const saysNotified = (value: Buffer): string | undefined => {
  const decoded = decodeNotification(value);
  if (E.isLeft(decoded)) return undefined;
  const notification = decoded.right;
  switch (notification._tag) {
    case 'RollStart':
    case 'Tap':
    case 'DoubleTap':
      return notification._tag;
    case 'Stable':
    case 'FakeStable':
    case 'TiltStable':
    case 'MoveStable':
      return `${notification._tag} ${notification.acceleration.x},${notification.acceleration.y},${notification.acceleration.z}`;
    case 'Battery':
      return `BatteryLevel ${notification.level}`;
    case 'Charging':
      return `Charging ${notification.on}`;
    case 'Colour':
    case 'Calibration':
      return undefined;
  }
};

const saysTold = (event: DetailedDiceEvent): string => {
  if ('acceleration' in event && event.acceleration !== null) {
    const { x, y, z } = event.acceleration;
    return `${event.kind} ${x},${y},${z}`;
  }
  if ('level' in event) return `${event.kind} ${event.level}`;
  return 'charging' in event ? `${event.kind} ${event.charging}` : event.kind;
};

/**
 * The first of each kind after initialising is the state of the die and no event; a rest only where it ends no roll
 * (`rolled`).
 */
const burstReason = (says: string, rolled: boolean): string | undefined => {
  const [kind = ''] = says.split(' ');
  if (kind === 'BatteryLevel' || kind === 'Charging') return kind;
  return kind.endsWith('Stable') && !rolled ? 'rest' : undefined;
};

/** `rolling`: clients saw a roll begin before the link was lost, and no end. */
const dueOn = (
  link: LinkLife,
  attribute: number,
  late: (passed: Passed) => boolean,
  rolling: boolean,
): readonly Due[] => {
  const questions = link.written.filter(({ value }) => value[0] === ASK_BATTERY);
  const initialised = link.written.find(({ value }) => value[0] === INITIALISE)?.at ?? Infinity;
  let rolled = rolling;
  let lastRest: string | undefined;
  const reportedParts = new Set<string>();
  return link.notified.flatMap((passed): readonly Due[] => {
    const says = passed.attribute === attribute ? saysNotified(passed.value) : undefined;
    if (says === undefined) return [];
    const mayKeep: string[] = late(passed) ? ['late'] : [];
    const burst = burstReason(says, rolled);
    if (burst !== undefined && !reportedParts.has(burst)) mayKeep.push(burst);
    if (burst !== undefined && passed.at > initialised) reportedParts.add(burst);
    // A roll that ends as the die is initialised: it tells the rest, and again in the burst.
    if (says === lastRest) mayKeep.push('the same rest');
    const asked = questions.filter(({ at }) => at < passed.at + ASKING_MS).length;
    if (says.startsWith('BatteryLevel')) {
      if (asked > 0) mayKeep.push(`answer of ${questions.length}`);
      // The link may end with a request that never reached the radio.
      if (passed.at > link.to - ASKING_MS) mayKeep.push('answer at the end');
    }
    if (says === 'RollStart') [rolled, lastRest] = [true, undefined];
    if (says.includes('Stable ')) {
      lastRest = says;
      if (passed.at <= initialised) rolled = false;
    }
    return [{ at: passed.at, says, mayKeep }];
  });
};

const allowance = (reason: string): number => {
  if (reason === 'late') return Infinity;
  return reason.startsWith('answer of') ? Number(reason.slice('answer of '.length)) : 1;
};

interface DieAttachment extends Attachment {
  /** It followed a loss in the middle of a roll. */
  readonly rolling: boolean;
}

/** The reports between two ends of a link. */
const attachments = (events: readonly DetailedDiceEvent[]): readonly DieAttachment[] => {
  const found: DieAttachment[] = [];
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
      found.push({ end: at, reported, rolling: rollingAtStart });
      reported = [];
      rollingAtStart = rolling;
    } else if (event.kind !== 'Reconnected') reported.push({ at, says: saysTold(event) });
  }
  if (reported.length > 0) found.push({ end: Infinity, reported, rolling: rollingAtStart });
  return found;
};

/** Messages about the reports to one client of one die, whose `disconnects` were requested then, that differ from the packets of the radio. */
export const diceFaults = (
  { links, attributes }: Capture,
  address: string,
  events: readonly DetailedDiceEvent[],
  disconnects: readonly number[] = [],
): readonly string[] => {
  const attribute = attributes.get(NUS_NOTIFY);
  if (attribute === undefined) return ['the capture has no die that was discovered'];
  const own = links.filter((link) => link.address === address);
  const reported = attachments(events.filter((event) => event.address === address));
  const linked = linksOf(own, reported);
  const unreported = own.filter(
    (link) => (link.asked ?? link.to) - link.from > OPENING_MS && !linked.includes(link),
  );
  return [
    ...unreported.map(
      ({ from }) => `${address}: nothing was reported of the link of ${new Date(from).toISOString()}`,
    ),
    ...reported.flatMap((attachment, index) => {
      const link = linked[index];
      if (link === undefined) return [`${address}: events without a link`];
      const late = (passed: Passed): boolean => isAfterEnd(link, attachment, disconnects, passed);
      return unlike(
        address,
        link,
        pair(dueOn(link, attribute, late, attachment.rolling), attachment.reported, allowance),
      );
    }),
  ];
};
