/**
 * Commands to the fleet: exactly one server carries out each. All servers receive a command; each fit server takes it after a
 * pause, a better one sooner, unless another server has taken it. The first taking message in the broker's order counts.
 */
import { createHash } from 'node:crypto';
import { setNewest } from '../async/newest.js';
import type { Address } from '../ble/ports.js';
import type { Cancel } from '../async/time.js';
import { Taken } from '../contract/index.js';
import { MAX_STATUS_BYTES } from './bounded.js';
import type { Message } from './broker.js';
import { isSame, readFrom, type Peer } from './claims.js';

const readTaken = readFrom(Taken, MAX_STATUS_BYTES);

/** A server that receives a device with this signal takes a command at once; each dB less adds to the pause. */
const BEST_DBM = -30;
const MS_PER_DB = 10;
/** Servers that do not hear the device wait longer than all servers that hear it, plus a random time, ms. */
const UNHEARD_MS = 1_000;
const CHANCE_MS = 1_000;
/** The longest time between messages that take the same command; a longer time separates two equal commands, ms. */
const AT_ONCE_MS = 5_000;
/** The time for which a server names the last message that counted, which later servers have missed, ms. */
const NAMED_MS = 2 * AT_ONCE_MS;
/** The most commands to keep, waiting or taken. */
const MOST_COMMANDS = 256;

/** How well this server could carry out a command to a device. */
export type Fitness =
  { readonly _tag: 'Owner' | 'Deaf' } | { readonly _tag: 'Hearer'; readonly rssi: number };

export interface TakingOptions {
  readonly fitnessFor: (address: Address | undefined) => Fitness;
  /** Whether other servers may hear devices. */
  readonly listens: () => boolean;
  readonly random: () => number;
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
  /** Whether this server's message that takes a command is under way. */
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

export class Taking {
  private readonly commands = new Map<string, Command>();
  private lastSeq = 0;

  constructor(
    private readonly peer: Peer,
    private readonly options: TakingOptions,
  ) {}

  /** Runs `task` unless another server takes the command. */
  offer(message: Message, address: Address | undefined, task: () => void): void {
    const request = hashOf(message);
    const command = this.commandOf(request);
    if (command.waiting.length >= MOST_COMMANDS) return;
    const due = (): void => {
      waiting.isDue = true;
      this.takeDue(request, command);
    };
    const cancel = this.peer.time.after(this.pauseOf(address), due);
    const waiting: Waiting = { cancel, task, isDue: false };
    command.waiting.push(waiting);
  }

  /** Receives the message with which a server takes a command. */
  received({ payload }: Message): void {
    const taken = readTaken(payload);
    if (taken === undefined) return;
    const { request, name, instance, seq } = taken;
    const command = this.commandOf(request);
    const isOwn = isSame(taken, this.peer.self);
    if (isOwn) command.isTaking = false;
    // Only the first message counts if several servers take a command at once.
    if (this.counts(taken, command)) {
      command.last = { mark: { name, instance, seq }, at: this.peer.time.now() };
      const first = command.waiting.shift();
      first?.cancel();
      if (isOwn) first?.task();
    }
    this.takeDue(request, command);
  }

  lost(): void {
    for (const { waiting } of this.commands.values()) for (const { cancel } of waiting) cancel();
    this.commands.clear();
  }

  private commandOf(request: string): Command {
    const command = this.commands.get(request) ?? { waiting: [], isTaking: false, last: undefined };
    const isKept = (each: string): boolean => this.commands.get(each)?.waiting.length !== 0;
    setNewest(this.commands, request, command, MOST_COMMANDS, isKept);
    return command;
  }

  private ageOf({ last }: Command): number {
    return last === undefined ? Infinity : this.peer.time.now() - last.at;
  }

  private counts({ after }: Taken, command: Command): boolean {
    if (command.last === undefined) return true;
    return after === null ? this.ageOf(command) >= AT_ONCE_MS : isSameMark(after, command.last.mark);
  }

  private takeDue(request: string, command: Command): void {
    if (command.isTaking || !command.waiting.some(({ isDue }) => isDue)) return;
    const { self, topics, broker } = this.peer;
    command.isTaking = true;
    this.lastSeq += 1;
    const after = this.ageOf(command) < NAMED_MS ? (command.last?.mark ?? null) : null;
    const taken: Taken = { ...self, seq: this.lastSeq, request, after };
    broker.publish(topics.taken, JSON.stringify(taken));
  }

  private pauseOf(address: Address | undefined): number {
    const { fitnessFor, listens, random } = this.options;
    const fitness = fitnessFor(address);
    if (fitness._tag === 'Owner') return 0;
    if (fitness._tag === 'Hearer') return Math.max(0, Math.min(BEST_DBM - fitness.rssi, 90)) * MS_PER_DB;
    return (address !== undefined && listens() ? UNHEARD_MS : 0) + random() * CHANCE_MS;
  }
}
