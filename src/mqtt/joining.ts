/** A server that has just connected: it may claim devices once all others have told what they own, or have had time to. */
import type { Logger } from 'pino';
import type { Cancel, TimeSource } from '../async/time.js';
import { MOST_SERVERS, setNewest } from './bounded.js';
import { type Identity } from './claims.js';

/** How long a server whose own status has come back, behind all that is retained, waits for what the others own, ms. */
export const JOIN_MS = 3_000;
/**
 * How much longer one may be silent until it is declared offline, ms. A broker ends a connection that is silent for 1.5 times
 * its keepalive (MQTT 5.0, 3.1.2.10), so a server that is there has answered or reconnected by then.
 */
export const GHOST_MS = 60_000;
/** Names of servers in a line of the log. */
const MOST_NAMES = 5;

export interface JoiningOptions {
  readonly self: () => Identity;
  readonly time: TimeSource;
  readonly log: Logger;
  /** Called when claims may begin, with the servers that did not answer. */
  readonly joined: (silent: readonly Identity[]) => void;
  /** Called for each server that still has not answered much later. */
  readonly vanished: (server: Identity) => void;
}

export interface Joining {
  /** `away`: there is no connection. `joining`: devices may have owners that this server does not know of. */
  readonly phase: 'away' | 'joining' | 'joined';
  readonly opened: () => void;
  readonly lost: () => void;
  /** A server is said to have been online before this one. */
  readonly expect: (server: Identity) => void;
  /** A server has told what it owns, or said so by its status. */
  readonly answered: (name: string) => void;
  /** The server of a name that has yet to answer. */
  readonly awaited: (name: string) => Identity | undefined;
}

export const openJoining = ({ self, time, log, joined, vanished }: JoiningOptions): Joining => {
  let phase: Joining['phase'] = 'away';
  /** By name; this one until its own status is back. */
  const awaited = new Map<string, Identity>();
  let cancel: Cancel = () => undefined;

  const join = (): void => {
    cancel();
    phase = 'joined';
    joined([...awaited.values()]);
  };

  const joinWithoutAll = (): void => {
    const names = [...awaited.keys()];
    const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} others` : '';
    log.warn(`on the MQTT broker ${names.slice(0, MOST_NAMES).join(', ')}${more} did not tell what it owns`);
    join();
    cancel = time.after(GHOST_MS, () => {
      for (const server of awaited.values()) vanished(server);
    });
  };

  return {
    get phase() {
      return phase;
    },
    opened: () => {
      phase = 'joining';
      awaited.set(self().name, self());
    },
    lost: () => {
      phase = 'away';
      cancel();
      awaited.clear();
    },
    expect: (server) => {
      if (phase === 'joining') setNewest(awaited, server.name, server, MOST_SERVERS);
    },
    answered: (name) => {
      if (!awaited.delete(name) || phase !== 'joining') return;
      if (awaited.size === 0) join();
      else if (name === self().name) cancel = time.after(JOIN_MS, joinWithoutAll);
    },
    awaited: (name) => awaited.get(name),
  };
};
