/** The longest gap of a replay, milliseconds: a recorded clock that was set jumps by weeks, and devices may notify once an hour. */
const LONGEST_GAP_MS = 60 * 60 * 1000;

/** How long a replay waits between two times of a capture, milliseconds; 0 where its clock went back. */
export const gapBetween = (from: number, to: number): number =>
  Math.min(Math.max(0, to - from), LONGEST_GAP_MS);
