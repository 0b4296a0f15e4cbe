/** The packets of a trace in words, decoded on request. */
import type { Trace, TraceRecord } from '../radio/medium/trace.js';
import { Links } from './links.js';
import type { Packet } from './packet.js';
import { describe } from './describe.js';

export interface Packets {
  readonly packets: readonly Packet[];
  /** How many records after `since` the trace no longer has. */
  readonly dropped: number;
  /** The number of the newest record. */
  readonly newest: number;
}

/** The number to which a client has read, and the links at that place. */
interface Checkpoint {
  at: number;
  readonly links: Links;
}

/** How many clients may follow the trace before it must be read from its beginning again. */
const MAX_CHECKPOINTS = 8;

/** The part of a trace that the reader needs. */
export type TraceRecords = Pick<Trace, 'newest' | 'after' | 'controllers'>;

export class PacketReader {
  private checkpoints: readonly Checkpoint[] = [];

  constructor(private readonly trace: TraceRecords) {}

  /** At most `limit` packets after the number `since`, or the newest without `since`; the oldest first. */
  read(since: number | undefined, limit: number): Packets {
    const { trace } = this;
    const { newest } = trace;
    const from = since ?? Math.max(0, newest - limit);
    const records = trace.after(from, limit);
    const [first] = records;
    const packets = first === undefined ? [] : this.describeFrom(from, records);
    const dropped = since === undefined || first === undefined ? 0 : first.number - since - 1;
    return { packets, dropped, newest };
  }

  private describeFrom(from: number, records: readonly TraceRecord[]): readonly Packet[] {
    const checkpoint = this.checkpoints.find(({ at }) => at === from) ?? this.checkpointAt(from);
    const packets = records.map((record) => describe(record, checkpoint.links));
    checkpoint.at = records.at(-1)?.number ?? from;
    this.checkpoints = [checkpoint, ...this.checkpoints.filter((other) => other !== checkpoint)].slice(
      0,
      MAX_CHECKPOINTS,
    );
    return packets;
  }

  private checkpointAt(number: number): Checkpoint {
    const links = new Links();
    for (const record of this.trace.controllers()) links.take(record);
    for (const record of this.trace.after(0, Infinity)) {
      if (record.number > number) break;
      links.take(record);
    }
    return { at: number, links };
  }
}
