/** Which of the servers that matter to this one are online; servers that are retained as online but do not answer are ghosts. */
import type { Logger } from 'pino';
import type { Cancel, TimeSource } from '../async/time.js';
import type { Topics } from '../contract/topics.js';
import type { Broker, Message } from './broker.js';
import { MOST_SERVERS } from './bounded.js';
import type { Validity } from './candidates.js';
import { Servers, type Identity, type Status } from './claims.js';
import { openWatching, type Watching } from './watching.js';

/**
 * How long a server may be silent when it is asked whether it is there, until it is declared offline, ms. A broker ends a connection
 * that is silent for 1.5 times its keepalive (MQTT 5.0, 3.1.2.10), so a server that is there has answered or reconnected by then.
 */
export const GHOST_MS = 60_000;
/** A server that several ask answers all of them at once, after so long, ms. */
const ANSWER_PAUSE_MS = 1_000;

export interface PresenceOptions {
  readonly self: () => Identity;
  readonly topics: Topics;
  readonly broker: () => Pick<Broker, 'publish' | 'subscribe' | 'unsubscribe'>;
  readonly announce: () => void;
  readonly changed: () => void;
  readonly time: TimeSource;
  readonly log: Logger;
}

export interface Presence {
  readonly watching: Watching;
  /** Listens to the status of a server from now on. */
  readonly watch: (name: string) => void;
  readonly validityOf: (server: Identity) => Validity;
  /** A server has sent a message now. */
  readonly spoke: (server: Identity) => void;
  /** Takes the status of a server; undefined if it is invalid. */
  readonly received: (name: string, message: Message) => Status | undefined;
  /** Another server wants to know whether this one is there. */
  readonly asked: () => void;
  readonly lost: () => void;
}

export const openPresence = (options: PresenceOptions): Presence => {
  const { self, topics, broker, announce, changed, time, log } = options;
  const isOwnName = (name: string): boolean => name === self().name;
  const servers = new Servers(isOwnName);
  /** Servers that were asked whether they are there, until they answer. */
  const silent = new Map<string, Cancel>();
  let cancelAnswer: Cancel | undefined;

  const heardOf = (name: string): void => {
    silent.get(name)?.();
    silent.delete(name);
  };

  const watching = openWatching({
    ...{ name: 'servers', echo: topics.echo, broker, changed, time, most: MOST_SERVERS },
    isKept: () => false,
    givenUp: (topic) => {
      const name = topics.serverIn(topic) ?? '';
      heardOf(name);
      servers.forget(name);
    },
  });

  const ask = (server: Identity): void => {
    heardOf(server.name);
    broker().publish(topics.askedOf(server.name), JSON.stringify(self()));
    const bury = (): void => {
      silent.delete(server.name);
      const obituary = servers.obituaryOf(server);
      if (obituary === undefined) return;
      log.warn(`${server.name} is retained as online on the MQTT broker, but does not answer: it is offline`);
      broker().publish(topics.serverOf(server.name), JSON.stringify(obituary), { retain: true });
    };
    silent.set(server.name, time.after(GHOST_MS, bury));
  };

  return {
    watching,
    watch: (name) => {
      if (!isOwnName(name)) watching.watch(topics.serverOf(name));
    },
    validityOf: (server) => {
      if (servers.isValid(server)) return 'valid';
      const isKnown = servers.has(server.name) || watching.isKnown(topics.serverOf(server.name));
      return isKnown || isOwnName(server.name) ? 'void' : 'unknown';
    },
    spoke: (server) => {
      heardOf(server.name);
      servers.spoke(server);
    },
    received: (name, { payload, retained }) => {
      const status = servers.receive(name, payload);
      if (status === undefined || isOwnName(name)) return status;
      if (!retained || status.status === 'offline') heardOf(name);
      else ask({ name, instance: status.instance });
      return status;
    },
    asked: () => {
      cancelAnswer ??= time.after(ANSWER_PAUSE_MS, () => {
        cancelAnswer = undefined;
        announce();
      });
    },
    lost: () => {
      cancelAnswer?.();
      cancelAnswer = undefined;
      for (const name of [...silent.keys()]) heardOf(name);
      servers.clear();
      watching.lost();
    },
  };
};
