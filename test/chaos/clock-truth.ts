import * as E from 'fp-ts/lib/Either.js';
import type { DetailedClockEvent } from '../../src/clock/contract.js';
import { decodeReading } from '../../src/clock/cgd1/protocol/index.js';
import type { Capture, LinkLife, Passed } from './capture.js';
import { isAfterEnd, linksOf, pair, unlike, type Attachment, type Due, type Reported } from './truth.js';

/** 0x0100 as it is on the air. */
const READING_NOTIFY = '0001';
/** The server reports a new link a moment before or after its first reading. */
const ATTACHING_MS = 1_000;

const dueOn = (
  link: LinkLife,
  attribute: number,
  attached: number,
  late: (passed: Passed) => boolean,
): readonly Due[] =>
  link.notified.flatMap((passed): readonly Due[] => {
    const reading = passed.attribute === attribute ? decodeReading(passed.value) : E.left(undefined);
    if (E.isLeft(reading)) return [];
    const { temperature, humidity } = reading.right;
    const early = passed.at < attached + ATTACHING_MS;
    const mayKeep = [...(early ? ['early'] : []), ...(late(passed) ? ['late'] : [])];
    return [{ at: passed.at, says: `${temperature} ${humidity}`, mayKeep }];
  });

interface AttachedClock extends Attachment {
  readonly attached: number;
}

/** The reports between two ends of a link, first of all since `subscribed`. */
const attachments = (events: readonly DetailedClockEvent[], subscribed: number): readonly AttachedClock[] => {
  const found: AttachedClock[] = [];
  let attached = subscribed;
  let reported: Reported[] = [];
  for (const event of events) {
    const at = Date.parse(event.time);
    if (event.event === 'disconnected') {
      found.push({ attached, reported, end: at });
      reported = [];
    } else if (event.event === 'reconnected') attached = at;
    else if (event.event === 'sensor_update' && 'temperature' in event.data) {
      reported.push({ at, says: `${event.data.temperature} ${event.data.humidity}` });
    }
  }
  if (reported.length > 0) found.push({ attached, reported, end: Infinity });
  return found;
};

/**
 * Messages about what was reported to one client, subscribed at `subscribed`, of one clock, whose
 * `disconnects` were requested then, that is not what the radio delivered.
 */
export const clockFaults = (
  { links, attributes }: Capture,
  address: string,
  events: readonly DetailedClockEvent[],
  subscribed: number,
  disconnects: readonly number[],
): readonly string[] => {
  const attribute = attributes.get(READING_NOTIFY);
  if (attribute === undefined) return ['the capture has no clock that was discovered'];
  const reported = attachments(
    events.filter((event) => event.address === address),
    subscribed,
  );
  const linked = linksOf(
    links.filter((link) => link.address === address),
    reported,
  );
  return reported.flatMap((attachment, index) => {
    const link = linked[index];
    if (link === undefined) return [`${address}: events without a link`];
    const late = (passed: Passed): boolean => isAfterEnd(link, attachment, disconnects, passed);
    const due = dueOn(link, attribute, attachment.attached, late);
    return unlike(address, link, pair(due, attachment.reported));
  });
};
