import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { BleError, Link } from '../../../ble/ports.js';
import { exchange } from '../../../devices/exchange.js';
import type { TimeSource } from '../../../async/time.js';
import { shared } from '../../../async/wait.js';

/**
 * `write` sends the request, and calls `begun` as soon as it is written: no earlier level is a response. The response may
 * take `answerMs` after the request is acknowledged.
 */
export const batteryRequest = (
  link: Link,
  write: (begun: () => void) => TE.TaskEither<BleError, void>,
  time: TimeSource,
  answerMs: number,
) => {
  let respond: ((level: number) => void) | undefined;
  let written = false;
  return {
    /** Uses a level as the response: a notification does not name its request. False: there is no written request. */
    take: (level: number): boolean => {
      if (respond === undefined || !written) return false;
      respond(level);
      return true;
    },
    /**
     * Requests the battery level, per cent; concurrent requests share a response. Left `NoAnswer`: no response in time,
     * which ends the link.
     */
    level: shared(
      exchange<number>({
        link,
        time,
        name: 'the battery request',
        write: write(() => {
          written = true;
        }),
        responseMs: answerMs,
        endsLink: 'the battery answer',
        listen: (settle) => {
          respond = settle;
          return () => {
            respond = undefined;
            written = false;
          };
        },
      }),
    ),
  };
};
