import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Cancel, TimeSource } from '../async/time.js';
import { settled } from '../async/wait.js';
import type { BleError, Link } from '../ble/ports.js';

export interface RequestOptions<A> {
  readonly link: Link;
  readonly time: TimeSource;
  /** Sends the request. */
  readonly write: TE.TaskEither<BleError, void>;
  /** How long the response may take once the request is written, ms. */
  readonly responseMs: number;
  /** Begins to wait for the response; what it returns ends that. */
  readonly listen: (respond: (response: A) => void) => Cancel;
  /** Ends the link if there is no response in time: the name of the response in that error. Null keeps the link. */
  readonly endsLink: string | null;
}

/** Writes a request and waits for its response, a notification. Left: `unanswered` in time, or what ended the link. */
export const request = <A>({
  link,
  time,
  write,
  responseMs,
  listen,
  endsLink,
}: RequestOptions<A>): TE.TaskEither<BleError | 'unanswered', A> =>
  settled((settle) => {
    let over = false;
    let cancelLimit = (): void => undefined;
    const unlisten = listen((response) => settle(E.right(response)));
    const unwatch = link.onEnd((reason) => settle(E.left(reason)));
    const start = async (): Promise<void> => {
      const written = await write();
      if (E.isLeft(written)) {
        settle(written);
      } else if (!over) {
        cancelLimit = time.after(responseMs, () => {
          settle(E.left('unanswered'));
          if (endsLink === null) return;
          link.fail({ _tag: 'Timeout', address: link.address, operation: endsLink, ms: responseMs });
        });
      }
    };
    // A write that rejects is a defect, and so is the request.
    start().catch((defect: unknown) => settle(Promise.reject(E.toError(defect))));
    return () => {
      over = true;
      unlisten();
      unwatch();
      cancelLimit();
    };
  });
