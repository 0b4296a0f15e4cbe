/** Whether the servers that matter to this server are online. A ghost is a server that is retained as online but never answers. */
import type { Cancel } from '../async/time.js';
import type { Message } from './broker.js';
import { MOST_SERVERS } from './bounded.js';
import type { Validity } from './candidates.js';
import { announce, Servers, type Identity, type Peer, type Status } from './claims.js';
import { Watching } from './watching.js';

/**
 * The time that a server has to answer before it is declared offline, ms. A broker ends a connection that is silent
 * for 1.5 times its keepalive (MQTT 5.0, 3.1.2.10), so an online server has answered or reconnected by then.
 */
export const GHOST_MS = 60_000;
/** One answer serves all servers that ask within this time, ms. */
const ANSWER_PAUSE_MS = 1_000;

export class Presence {
  readonly watching: Watching;
  private readonly servers = new Servers((name) => this.isOwnName(name));
  /** Servers that have not yet answered whether they are online. */
  private readonly silent = new Map<string, Cancel>();
  private cancelAnswer: Cancel | undefined;

  constructor(
    private readonly peer: Peer,
    changed: () => void,
  ) {
    this.watching = new Watching(peer, {
      ...{ name: 'servers', topicOf: peer.topics.serverOf, most: MOST_SERVERS, changed },
      isKept: () => false,
      dropped: (name) => {
        this.stopWaiting(name);
        this.servers.forget(name);
      },
    });
  }

  /** Listens to the status of a server from now on. */
  watch(name: string): void {
    if (!this.isOwnName(name)) this.watching.watch(name);
  }

  readonly validityOf = (server: Identity): Validity => {
    if (this.servers.isValid(server)) return 'valid';
    const isKnown = this.servers.has(server.name) || this.watching.isKnown(server.name);
    return isKnown || this.isOwnName(server.name) ? 'void' : 'unknown';
  };

  /** Notes that a server has sent a message now. */
  spoke(server: Identity): void {
    this.stopWaiting(server.name);
    this.servers.spoke(server);
  }

  /** Takes the status of a server; undefined if it is invalid. */
  received(name: string, { payload, retained }: Message): Status | undefined {
    const status = this.servers.receive(name, payload);
    if (status === undefined || this.isOwnName(name)) return status;
    if (!retained || status.status === 'offline') this.stopWaiting(name);
    else this.ask({ name, instance: status.instance });
    return status;
  }

  /** Answers another server that asks whether this server is online. */
  asked(): void {
    this.cancelAnswer ??= this.peer.time.after(ANSWER_PAUSE_MS, () => {
      this.cancelAnswer = undefined;
      announce(this.peer, 'online');
    });
  }

  lost(): void {
    this.cancelAnswer?.();
    this.cancelAnswer = undefined;
    for (const name of [...this.silent.keys()]) this.stopWaiting(name);
    this.servers.clear();
    this.watching.lost();
  }

  private isOwnName(name: string): boolean {
    return name === this.peer.self.name;
  }

  private stopWaiting(name: string): void {
    this.silent.get(name)?.();
    this.silent.delete(name);
  }

  private ask(server: Identity): void {
    const { self, topics, broker, time } = this.peer;
    this.stopWaiting(server.name);
    broker.publish(topics.askedOf(server.name), JSON.stringify(self));
    this.silent.set(
      server.name,
      time.after(GHOST_MS, () => this.bury(server)),
    );
  }

  /** Declares a silent server offline. */
  private bury(server: Identity): void {
    const { topics, broker, log } = this.peer;
    this.silent.delete(server.name);
    const obituary = this.servers.obituaryOf(server);
    if (obituary === undefined) return;
    log.warn(`${server.name} is retained as online on the MQTT broker, but does not answer: it is offline`);
    broker.publish(topics.serverOf(server.name), JSON.stringify(obituary), { retain: true });
  }
}
