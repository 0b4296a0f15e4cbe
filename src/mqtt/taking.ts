/**
 * Commands to the fleet, of which one server carries out each. All hear them; each that could do it takes it after a while, the
 * better the sooner, unless another has taken it before. The first message of all that take it counts, in the broker's order.
 */
import { createHash } from 'node:crypto';
import type { Address } from '../ble/ports.js';
import type { Cancel, TimeSource } from '../async/time.js';
import { Taken } from '../contract/index.js';
import type { Topics } from '../contract/topics.js';
import { MAX_STATUS_BYTES, setNewest } from './bounded.js';
import type { Broker, Message } from './broker.js';
import { isSame, readFrom, type Identity } from './claims.js';

const readTaken = readFrom(Taken, MAX_STATUS_BYTES);

/** A server that receives a device with this signal takes a command to it at once; each dB less is a pause, dBm and ms. */
const BEST_DBM = -30;
const MS_PER_DB = 10;
/** Servers that do not hear it wait longer than all that do, and then differ by chance, ms. */
const UNHEARD_MS = 1_000;
const CHANCE_MS = 1_000;
/** Servers that take a command at once do so within this time; longer ago, another one like it was taken, ms. */
const AT_ONCE_MS = 5_000;
/** A server names the last that counted for so long: those that have joined since do not know of it, ms. */
const NAMED_MS = 2 * AT_ONCE_MS;
/** Commands that wait, or were taken. */
const MOST_COMMANDS = 256;

/** How well this server could carry out a command to a device. */
export type Fitness =
  { readonly _tag: 'Owner' | 'Deaf' } | { readonly _tag: 'Hearer'; readonly rssi: number };

export interface TakingOptions {
  readonly self: () => Identity;
  readonly topics: Topics;
  readonly broker: () => Pick<Broker, 'publish'>;
  readonly fitnessFor: (address: Address | undefined) => Fitness;
  /** Whether other servers may hear devices. */
  readonly listens: () => boolean;
  readonly time: TimeSource;
  readonly random: () => number;
}

export interface Taking {
  /** Carries `task` out unless another server is the one to do it. */
  readonly offer: (message: Message, address: Address | undefined, task: () => void) => void;
  readonly received: (message: Message) => void;
  readonly lost: () => void;
}

type Mark = NonNullable<Taken['after']>;

interface Waiting {
  readonly cancel: Cancel;
  readonly task: () => void;
  isDue: boolean;
}

/** Equal commands. */
interface Command {
  readonly waiting: Waiting[];
  /** Whether a message of this server that takes one is under way. */
  isTaking: boolean;
  last: { readonly mark: Mark; readonly at: number } | undefined;
}

const hashOf = ({ topic, payload, reply }: Message): string =>
  createHash('sha256')
    .update(JSON.stringify([topic, reply?.topic ?? null, reply?.correlation?.toString('hex') ?? null]))
    .update(payload)
    .digest('base64url')
    .slice(0, 22);

const isSameMark = (a: Mark, b: Mark): boolean => isSame(a, b) && a.seq === b.seq;

export const openTaking = (options: TakingOptions): Taking => {
  const { self, topics, broker, fitnessFor, listens, time, random } = options;
  const commands = new Map<string, Command>();
  let seq = 0;

  const ageOf = ({ last }: Command): number => (last === undefined ? Infinity : time.now() - last.at);

  const counts = ({ after }: Taken, command: Command): boolean =>
    command.last === undefined ||
    (after === null ? ageOf(command) >= AT_ONCE_MS : isSameMark(after, command.last.mark));

  const takeDue = (request: string, command: Command): void => {
    if (command.isTaking || !command.waiting.some(({ isDue }) => isDue)) return;
    command.isTaking = true;
    seq += 1;
    const after = ageOf(command) < NAMED_MS ? (command.last?.mark ?? null) : null;
    const taken: Taken = { ...self(), seq, request, after };
    broker().publish(topics.taken, JSON.stringify(taken));
  };

  const pauseOf = (address: Address | undefined): number => {
    const fitness = fitnessFor(address);
    if (fitness._tag === 'Owner') return 0;
    if (fitness._tag === 'Hearer') return Math.max(0, Math.min(BEST_DBM - fitness.rssi, 90)) * MS_PER_DB;
    return (address !== undefined && listens() ? UNHEARD_MS : 0) + random() * CHANCE_MS;
  };

  const commandOf = (request: string): Command => {
    const command = commands.get(request) ?? { waiting: [], isTaking: false, last: undefined };
    setNewest(
      commands,
      request,
      command,
      MOST_COMMANDS,
      (known) => commands.get(known)?.waiting.length !== 0,
    );
    return command;
  };

  return {
    offer: (message, address, task) => {
      const request = hashOf(message);
      const command = commandOf(request);
      if (command.waiting.length >= MOST_COMMANDS) return;
      const due = (): void => {
        waiting.isDue = true;
        takeDue(request, command);
      };
      const waiting: Waiting = { cancel: time.after(pauseOf(address), due), task, isDue: false };
      command.waiting.push(waiting);
    },
    received: ({ topic, payload }) => {
      const taken = topic === topics.taken ? readTaken(payload) : undefined;
      if (taken === undefined) return;
      const { request, name, instance, seq: number } = taken;
      const command = commandOf(request);
      const isOwn = isSame(taken, self());
      if (isOwn) command.isTaking = false;
      // Of several that took it at once, another server was first.
      if (counts(taken, command)) {
        command.last = { mark: { name, instance, seq: number }, at: time.now() };
        const first = command.waiting.shift();
        first?.cancel();
        if (isOwn) first?.task();
      }
      takeDue(request, command);
    },
    lost: () => {
      for (const { waiting } of commands.values()) for (const { cancel } of waiting) cancel();
      commands.clear();
    },
  };
};
