import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { BleError, Link } from '../../../ble/ports.js';
import { exchange } from '../../../devices/exchange.js';
import type { TimeSource } from '../../../async/time.js';
import { shared } from '../../../async/wait.js';

/**
 * `write` sends the request, and calls `begun` as soon as it is written: no level that came before is a response. The
 * response may take `answerMs` from when the request is acknowledged.
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
    /** Takes a level for the response, since a notification does not say what it responds to; false if none is awaited. */
    take: (level: number): boolean => {
      if (respond === undefined || !written) return false;
      respond(level);
      return true;
    },
    /**
     * The battery level, per cent. A request while a response is awaited gets the same one. Left `NoAnswer` without a
     * response in time, which ends the link.
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
