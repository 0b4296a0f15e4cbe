/** Compares the events at a client with the readings of a clock (docs/cgd1-protocol.md §9). */
import type { DetailedClockEvent } from '../../src/clock/contract.js';
import { differences, type Attachment, type Due, type Interference, type Reported } from './truth.js';
import type { DeviceLink } from './witness.js';

const READING = '0100';
const READING_BYTES = 5;
/** How long before or after its first reading the server may report a new link, in milliseconds. */
const ATTACHING_MS = 1_000;

interface ClockAttachment extends Attachment {
  readonly attached: number;
}

const dueOn = (link: DeviceLink, { attached }: ClockAttachment): readonly Due[] =>
  link.notified.flatMap(({ at, characteristic, value }): readonly Due[] => {
    if (characteristic !== READING || value.length !== READING_BYTES) return [];
    const says = `${value.readInt16LE(1) / 100} ${value.readUInt16LE(3) / 100}`;
    return [{ at, says, mayKeep: at < attached + ATTACHING_MS ? ['early'] : [] }];
  });

/** The events between two ends of a link; the first attachment starts at `subscribed`. */
const attachmentsOf = (
  events: readonly DetailedClockEvent[],
  subscribed: number,
): readonly ClockAttachment[] => {
  const attachments: ClockAttachment[] = [];
  let attached = subscribed;
  let reported: Reported[] = [];
  for (const event of events) {
    const at = Date.parse(event.time);
    if (event.event === 'disconnected') {
      attachments.push({ attached, reported, end: at });
      reported = [];
    } else if (event.event === 'reconnected') attached = at;
    else if (event.event === 'sensor_update' && 'temperature' in event.data)
      reported.push({ at, says: `${event.data.temperature} ${event.data.humidity}` });
  }
  if (reported.length > 0) attachments.push({ attached, reported, end: Infinity });
  return attachments;
};

/** `events`: from one clock to one client, which subscribed to it at `subscribed`. */
export const clockDifferences = (
  links: readonly DeviceLink[],
  events: readonly DetailedClockEvent[],
  subscribed: number,
  interference: Interference,
): readonly string[] =>
  differences(links, attachmentsOf(events, subscribed), interference, { dueOn, allowance: () => Infinity });
