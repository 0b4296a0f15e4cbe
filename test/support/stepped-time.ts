import { manualTime, type ManualTime } from './manual-time.js';

/** A clock that stands still, and whose `pass` first waits until something waits for exactly so long. */
export type SteppedTime = ManualTime;

export const steppedTime = (start = 0): SteppedTime => {
  const time = manualTime(start);
  return Object.assign(time, {
    pass: async (ms: number): Promise<void> => {
      await time.armed(ms);
      time.advance(ms);
    },
  });
};
