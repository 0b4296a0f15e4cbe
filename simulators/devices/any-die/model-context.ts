import type { TimeSource } from '../../../src/async/time.js';

/** The part of its context that the model of a die needs; `Notification` is the maker's. */
export interface ModelContext<Notification> {
  readonly time: TimeSource;
  readonly notify: (notification: Notification) => void;
  readonly dropLink: () => void;
  /** Something in `state` is another. */
  readonly changed: () => void;
}
