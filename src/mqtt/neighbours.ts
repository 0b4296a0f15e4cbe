/** The question to the other servers on a broker which of them has a link to a device. */
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import { addNewest } from '../async/newest.js';
import { pause, wait } from '../async/wait.js';
import type { Address } from '../ble/ports.js';
import { MOST_HEARERS } from './bounded.js';
import type { Message } from './broker.js';
import { readStatus, type Peer } from './messages.js';

/** The time for the broker to send the retained messages of a subscription, ms. */
export const ANSWER_MS = 1_000;

interface Question {
  /** The other servers whose messages say that the device can be reached. */
  readonly servers: Set<string>;
  /** Called with each server that is online. */
  online: (server: string) => void;
  answer: Promise<string | undefined>;
}

export class Neighbours {
  private readonly questions = new Map<Address, Question>();

  constructor(private readonly peer: Pick<Peer, 'self' | 'topics' | 'broker' | 'time'>) {}

  /**
   * The name of another server that is online and has a link to a device, by the retained messages of both; undefined: no message
   * names one within two seconds.
   */
  linkedTo(address: Address): Task<string | undefined> {
    return () => (this.questions.get(address) ?? this.ask(address)).answer;
  }

  /** Whether the answer of `linkedTo` is under way. */
  isAsking(address: Address): boolean {
    return this.questions.has(address);
  }

  received(server: string, address: Address, { payload }: Message): void {
    const servers = this.questions.get(address)?.servers;
    if (servers === undefined || server === this.peer.self.name) return;
    if (payload.toString('utf8') === 'online') addNewest(servers, server, MOST_HEARERS);
    else servers.delete(server);
  }

  receivedStatus(server: string, { payload }: Message): void {
    if (readStatus(payload)?.status !== 'online') return;
    for (const { online } of this.questions.values()) online(server);
  }

  private ask(address: Address): Question {
    const question: Question = {
      servers: new Set(),
      online: () => undefined,
      answer: Promise.resolve(undefined),
    };
    this.questions.set(address, question);
    question.answer = this.answer(address, question).finally(() => this.questions.delete(address));
    return question;
  }

  private async answer(address: Address, question: Question): Promise<string | undefined> {
    const { broker, topics, time } = this.peer;
    if (!broker.connected) return undefined;
    const availabilities = topics.availabilities(address);
    broker.subscribe([availabilities]);
    await pause({ time, ms: ANSWER_MS });
    broker.unsubscribe(availabilities);
    const { servers } = question;
    const statuses = [...servers].map(topics.serverOf);
    if (statuses.length === 0) return undefined;
    const online = await wait<string>({ time, ms: ANSWER_MS }, (settle) => {
      question.online = (server) => {
        if (servers.has(server)) settle(server);
      };
      broker.subscribe(statuses);
      return () => {
        for (const status of statuses) broker.unsubscribe(status);
      };
    })();
    return E.isRight(online) ? online.right : undefined;
  }
}
