/** Cuts a btsnoop capture (docs/radio.md, "Trace"): a file header of 16 bytes, then records with a header of 24. */

const FILE_HEADER = 16;
const RECORD_HEADER = 24;
/** Microseconds from the year 0 to the Unix epoch. */
const EPOCH = 0x00dcddb30f2f8000n;
/** `New Index` and `Delete Index`: which controllers there are. */
const LAST_INDEX_KIND = 1;

/** The capture since `from` (milliseconds since 1970); of the time before only the controllers. */
export const capturedSince = (capture: Buffer, from: number): Buffer => {
  const start = EPOCH + BigInt(Math.floor(from)) * 1000n;
  const kept = [capture.subarray(0, FILE_HEADER)];
  for (let at = FILE_HEADER; at + RECORD_HEADER <= capture.length;) {
    const end = at + RECORD_HEADER + capture.readUInt32BE(at + 4);
    const kind = capture.readUInt16BE(at + 10);
    if (kind <= LAST_INDEX_KIND || capture.readBigUInt64BE(at + 16) >= start) {
      kept.push(capture.subarray(at, end));
    }
    at = end;
  }
  return Buffer.concat(kept);
};
