import * as E from 'fp-ts/lib/Either.js';
import type { DetailedClockEvent } from '../../src/clock/contract.js';
import { decodeReading } from '../../src/clock/protocol/index.js';
import type { Capture, LinkLife } from './capture.js';
import { isAfterEnd, linkAt, pair, type Due, type Told } from './truth.js';

/** 0x0100 as it is on the air. */
const READING_NOTIFY = '0001';
/** The server tells of a new link a moment before or after it hears its first reading. */
const ATTACHING_MS = 1_000;

const dueOn = (link: LinkLife, attribute: number, attached: number): readonly Due[] =>
  link.notified.flatMap((passed): readonly Due[] => {
    const reading = passed.attribute === attribute ? decodeReading(passed.value) : E.left(undefined);
    if (E.isLeft(reading)) return [];
    const { temperature, humidity } = reading.right;
    const early = passed.at < attached + ATTACHING_MS;
    const mayKeep = [...(early ? ['early'] : []), ...(isAfterEnd(link, passed) ? ['late'] : [])];
    return [{ at: passed.at, says: `${temperature} ${humidity}`, mayKeep }];
  });

/** Sentences about what one client, subscribed at `subscribed`, was told of one clock that is not what the radio delivered. */
export const clockFaults = (
  { links, attributes }: Capture,
  address: string,
  events: readonly DetailedClockEvent[],
  subscribed: number,
): readonly string[] => {
  const attribute = attributes.get(READING_NOTIFY);
  if (attribute === undefined) return ['the capture has no clock that was discovered'];
  const own = links.filter((link) => link.address === address);
  const faults: string[] = [];
  let attached = subscribed;
  let told: Told[] = [];
  const close = (end: number): void => {
    const link = linkAt(own, told[0]?.at ?? end);
    if (link === undefined) faults.push(`${address}: events without a link`);
    else {
      const paired = pair(dueOn(link, attribute, attached), told);
      if (E.isLeft(paired))
        faults.push(`${address}, link of ${new Date(link.from).toISOString()}: ${paired.left}`);
    }
    told = [];
  };
  for (const said of events.filter((event) => event.address === address)) {
    const at = Date.parse(said.time);
    if (said.event === 'disconnected') close(at);
    else if (said.event === 'reconnected') attached = at;
    else if (said.event === 'sensor_update' && 'temperature' in said.data) {
      told.push({ at, says: `${said.data.temperature} ${said.data.humidity}` });
    }
  }
  if (told.length > 0) close(Infinity);
  return faults;
};
