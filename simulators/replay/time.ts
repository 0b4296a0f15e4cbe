/** Times of a capture, as they are replayed. */

/** No gap of a replay is longer, milliseconds: a recorded clock that was set jumps by weeks, and devices may say something once an hour. */
export const LONGEST_GAP_MS = 60 * 60 * 1000;

/** How long a replay waits between two times of a capture, milliseconds; nothing where its clock went back. */
export const gapBetween = (from: number, to: number): number =>
  Math.min(Math.max(0, to - from), LONGEST_GAP_MS);
