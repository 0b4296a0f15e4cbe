/** How the work on a capture grows with its size. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Cursor } from '../../simulators/devices/recorded/pieces.js';
import type { Recording } from '../../simulators/devices/recorded/recording.js';
import { describeRecording } from '../../simulators/lab/import/recording.js';
import {
  capture,
  discovery,
  EVENT,
  fromDevice,
  fromHost,
  linkEnded,
  linkMade,
  record,
  recorded,
  type Raw,
} from './captures.js';

/** Numbers of parts; the second number is `GROWTH` times the first. */
const GROWTH = 8;
const FEW = 1_000;
/** Linear work grows by `GROWTH`, quadratic work by its square. */
const MOST_GROWTH = 4 * GROWTH;
/** Shorter work counts as this long, since its measure is not exact, µs. */
const LEAST_US = 3_000;

/** Two bytes in little-endian order, in hex. */
const u16 = (value: number): string => Buffer.from([value & 0xff, (value >> 8) & 0xff]).toString('hex');
/** A handle behind those of the strap, different for each part. */
const handleOf = (part: number): string => u16(0x100 + part);

const exchange = (request: string, response: string): readonly Raw[] => [
  fromHost(1, request),
  fromDevice(2, response),
];
/** A characteristic that can be read, notified and written, and its configuration. */
const characteristic = (handle: number): readonly Raw[] => [
  ...exchange(
    `08 ${u16(handle)} ${u16(handle)} 03 28`,
    `09 07 ${u16(handle)} 1a ${u16(handle + 1)} ${u16(handle)}`,
  ),
  ...exchange(`04 ${u16(handle + 2)} ${u16(handle + 2)}`, `05 01 ${u16(handle + 2)} 02 29`),
];

const link = [linkMade(0), ...discovery(0)];

/** Captures of many parts; each function makes one part by its number. */
const SHAPES: Readonly<Record<string, (part: number) => readonly Raw[]>> = {
  'reads of one handle': () => exchange('0a 15 00', '0b 01'),
  'reads of different handles': (part) => exchange(`0a ${handleOf(part)}`, '0b 01'),
  'refused reads': () => exchange('0a 15 00', '01 0a 15 00 05'),
  'parts of one long value': () => exchange('16 17 00 00 00 01', '17 17 00 00 00 01'),
  'writes of different values': (part) => exchange(`12 17 00 ${u16(part)}`, '13'),
  'writes and reads': (part) => [
    ...exchange(`12 17 00 ${u16(part)}`, '13'),
    ...exchange(`0a ${handleOf(part)}`, '0b 01'),
  ],
  notifications: (part) => [fromDevice(1, `1b 12 00 ${u16(part)}`)],
  'characteristics with a notification': (part) => [
    ...characteristic(0x100 + 3 * part),
    fromDevice(1, `1b ${u16(0x100 + 3 * part)} 01`),
  ],
  'links without discovery': () => [linkEnded(1), linkMade(2)],
  'links with other attributes each': (part) => [
    linkEnded(1),
    linkMade(2),
    ...characteristic(0x100 + 3 * part),
  ],
  'links with contradictory attributes': (part) => [
    ...[linkEnded(1), linkMade(2)],
    ...exchange('08 10 00 17 00 03 28', `09 07 11 00 ${part % 2 === 0 ? '10' : '12'} 12 00 ${u16(part)}`),
  ],
  'changing advertisements': (part) => [
    record(1, EVENT, `3E 13 02 01 00 01 01 00 00 EE FF C0 07 02 01 06 03 09 ${u16(part)} C4`),
  ],
  'advertising devices': (part) => [
    record(1, EVENT, `3E 13 02 01 00 01 ${u16(part)} 00 EE FF C1 07 02 01 06 03 03 0D 18 C4`),
  ],
};

/** Plays everything that the recorded host has read and written. */
const play = ({ links }: Recording): void => {
  const cursor = new Cursor(links);
  for (const { pieces } of links) {
    cursor.nextLink();
    for (const { write, reads } of pieces) {
      if (write !== undefined) cursor.write(write.handle, write.value);
      for (const [handle, results] of reads) results.forEach(() => cursor.read(handle));
    }
  }
};

/** The time of the processor for each kind of work on a capture, the least of some runs, µs. */
const costsOf = async (parts: number, partOf: (part: number) => readonly Raw[], runs: number) => {
  const file = capture(...link, ...Array.from({ length: parts }, (_value, part) => partOf(part)).flat());
  const costs = { read: Infinity, play: Infinity, describe: Infinity };
  const measure = async <A>(work: keyof typeof costs, run: () => A | Promise<A>): Promise<A> => {
    const began = process.cpuUsage();
    const result = await run();
    const { user, system } = process.cpuUsage(began);
    costs[work] = Math.min(costs[work], user + system);
    return result;
  };
  for (let run = 0; run < runs; run++) {
    const recording = await measure('read', () => recorded(file));
    await measure('play', () => play(recording));
    await measure('describe', () => describeRecording(recording));
  }
  return costs;
};

describe('The work on a capture', () => {
  for (const [shape, partOf] of Object.entries(SHAPES))
    it(`grows with the number of ${shape}, not with its square`, async () => {
      await costsOf(FEW, partOf, 2);
      const few = await costsOf(FEW, partOf, 3);
      const many = await costsOf(GROWTH * FEW, partOf, 3);
      for (const work of ['read', 'play', 'describe'] as const)
        expect(many[work] / Math.max(few[work], LEAST_US), work).to.be.below(MOST_GROWTH);
    });
});
