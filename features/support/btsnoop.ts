/** Cuts a capture of the Linux monitor (docs/radio.md, "Trace"). */
import { Kind } from '../../simulators/radio/medium/monitor.js';
import { FILE_HEADER, recordsIn } from '../../simulators/replay/btsnoop.js';

const PRESENCE: readonly number[] = [Kind.newIndex, Kind.deleteIndex];

/** What was captured since `from` (milliseconds since 1970), and of before only which controllers there were. */
export const capturedSince = (capture: Buffer, from: number): Buffer => {
  const kept = [...recordsIn(capture.subarray(FILE_HEADER))].filter(
    ({ flags, at }) => PRESENCE.includes(flags & 0xffff) || at >= from,
  );
  return Buffer.concat([capture.subarray(0, FILE_HEADER), ...kept.map(({ bytes }) => bytes)]);
};
