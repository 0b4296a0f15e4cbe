import * as E from 'fp-ts/lib/Either.js';
import { decodeReading } from '../../src/clock/protocol/index.js';
import type { Capture, LinkLife } from './capture.js';
import { isAfterEnd, linkAt, pair, type Due, type Told } from './truth.js';

/** An event of `/ws?detail=full`. */
export interface ClockTold {
  readonly event: string;
  readonly address: string;
  readonly time: string;
  readonly seq: number;
  readonly data: Readonly<Record<string, unknown>>;
}

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
  events: readonly ClockTold[],
  subscribed: number,
): readonly string[] => {
  const attribute = attributes.get(READING_NOTIFY);
  if (attribute === undefined) return ['the capture has no clock that was discovered'];
  const own = links.filter((link) => link.address === address);
  const faults: string[] = [];
  let attached = subscribed;
  let told: Told[] = [];
  const close = (end: number): void => {
    const link = linkAt(own, end);
    if (link === undefined) faults.push(`${address}: events without a link`);
    else {
      const paired = pair(dueOn(link, attribute, attached), told);
      if (E.isLeft(paired))
        faults.push(`${address}, link of ${new Date(link.from).toISOString()}: ${paired.left}`);
    }
    told = [];
  };
  for (const { event, address: of, time, data } of events) {
    const at = Date.parse(time);
    if (of !== address) continue;
    if (event === 'disconnected') close(at);
    else if (event === 'reconnected') attached = at;
    else if (event === 'sensor_update')
      told.push({ at, says: `${String(data['temperature'])} ${String(data['humidity'])}` });
  }
  if (told.length > 0) close(Infinity);
  return faults;
};
