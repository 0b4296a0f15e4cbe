import { FILE_HEADER, recordsIn } from '../../src/bytes/btsnoop.js';

/** Up to this kind, in the lower half of the flags, records are `New Index` and `Delete Index` (docs/radio.md, "Trace"). */
const LAST_INDEX_KIND = 1;

/** The capture since `from` (milliseconds since 1970); of earlier records, the controllers alone. */
export const capturedSince = (capture: Buffer, from: number): Buffer => {
  const records = [...recordsIn(capture.subarray(FILE_HEADER))];
  const kept = records.filter(({ flags, at }) => (flags & 0xffff) <= LAST_INDEX_KIND || at >= from);
  return Buffer.concat([capture.subarray(0, FILE_HEADER), ...kept.map(({ bytes }) => bytes)]);
};
