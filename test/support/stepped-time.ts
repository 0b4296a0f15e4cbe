import { manualTime, type ManualTime } from './manual-time.js';

/** A clock that stands still; its `pass` first waits for a task that waits exactly `ms`. */
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
