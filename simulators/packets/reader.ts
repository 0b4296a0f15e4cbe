/** The packets of a trace in words, decoded when somebody asks for them. */
import type { Trace, TraceRecord } from '../radio/medium/trace.js';
import { Links } from './links.js';
import type { Packet } from './packet.js';
import { tell } from './tell.js';

export interface Packets {
  readonly packets: readonly Packet[];
  /** How many records after `since` are kept no more. */
  readonly dropped: number;
  /** The number of the newest record. */
  readonly newest: number;
}

/** How far a client has read, and what is known there. */
interface Place {
  at: number;
  readonly links: Links;
}

/** How many clients may follow the trace without that it is read from its beginning for them again. */
const PLACES = 8;

/** What is read of a trace. */
export type TraceRecords = Pick<Trace, 'newest' | 'after' | 'controllers'>;

export class PacketReader {
  private places: readonly Place[] = [];

  constructor(private readonly trace: TraceRecords) {}

  /** At most `limit` packets, the oldest first: those after the number `since`; without it, the newest. */
  read(since: number | undefined, limit: number): Packets {
    const { trace } = this;
    const { newest } = trace;
    const from = since ?? Math.max(0, newest - limit);
    const records = trace.after(from, limit);
    const [first] = records;
    const packets = first === undefined ? [] : this.tellFrom(from, records);
    const dropped = since === undefined || first === undefined ? 0 : first.number - since - 1;
    return { packets, dropped, newest };
  }

  private tellFrom(from: number, records: readonly TraceRecord[]): readonly Packet[] {
    const place = this.places.find(({ at }) => at === from) ?? this.placeAt(from);
    const packets = records.map((record) => tell(record, place.links));
    place.at = records.at(-1)?.number ?? from;
    this.places = [place, ...this.places.filter((one) => one !== place)].slice(0, PLACES);
    return packets;
  }

  private placeAt(number: number): Place {
    const links = new Links();
    for (const record of this.trace.controllers()) links.take(record);
    for (const record of this.trace.after(0, Infinity)) {
      if (record.number > number) break;
      links.take(record);
    }
    return { at: number, links };
  }
}
