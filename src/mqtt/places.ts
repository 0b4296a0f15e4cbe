/** The places for commands under way, and the share of them that one client or one command may have. */
import * as E from 'fp-ts/lib/Either.js';
import type { ServerError } from '../http/index.js';

const MAX_PENDING = 256;
/** Of one client, and of all for one command. */
const MAX_SHARE = 128;
/** A scan may last ten minutes. */
const SCAN = 'scan';
const MAX_SCANS = 32;
const MAX_SCANS_OF_CLIENT = 8;

export interface Places {
  /**
   * Takes a place for a command of a client, known by the topic on which it wants answers: a broker does not tell a server who
   * published a message. Right gives the place back, once. Left: there is none.
   */
  readonly take: (client: string, command: string) => E.Either<ServerError, () => void>;
}

/** What is counted, how many of it there may be, and how that is told. */
type Limit = readonly [key: string, most: number, what: string];

const limitsOf = (client: string, command: string): readonly Limit[] => [
  ['all', MAX_PENDING, 'commands at once: a server'],
  [`client ${client}`, MAX_SHARE, 'commands at once: a client'],
  [`command ${command}`, command === SCAN ? MAX_SCANS : MAX_SHARE, `${command} commands at once: a server`],
  ...(command === SCAN
    ? [[`scans of ${client}`, MAX_SCANS_OF_CLIENT, `${command} commands at once: a client`] as const]
    : []),
];

export const openPlaces = (): Places => {
  const taken = new Map<string, number>();
  const takenOf = (key: string): number => taken.get(key) ?? 0;
  return {
    take: (client, command) => {
      const limits = limitsOf(client, command);
      const full = limits.find(([key, most]) => takenOf(key) >= most);
      if (full !== undefined) {
        const [, most, what] = full;
        const message = `too many ${what} may have ${most} under way over MQTT`;
        return E.left({ _tag: 'TooManyRequests', message, retryAfterSecs: 1 });
      }
      for (const [key] of limits) taken.set(key, takenOf(key) + 1);
      return E.right(() => {
        for (const [key] of limits) {
          taken.set(key, takenOf(key) - 1);
          if (takenOf(key) === 0) taken.delete(key);
        }
      });
    },
  };
};
