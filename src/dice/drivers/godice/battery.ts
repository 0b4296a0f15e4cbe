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
  let isAsked = false;
  let lastLevel: number | undefined;
  return {
    /**
     * Uses a level as the response, since a notification does not name its request. True: it makes no event, as the response of
     * `level`, or as the response of `ask` with the last level.
     */
    take: (level: number): boolean => {
      const isKnown = level === lastLevel;
      lastLevel = level;
      if (respond !== undefined && written) {
        respond(level);
        return true;
      }
      const wasAsked = isAsked;
      isAsked = false;
      return wasAsked && isKnown;
    },
    /** Requests the battery level without waiting for the response. */
    ask: write(() => {
      isAsked = true;
    }),
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
