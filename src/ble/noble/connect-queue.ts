/**
 * Whose turn it is to be connected: an adapter makes one attempt at a time. A device that is heard waits no longer than
 * `GIVE_WAY_MS` for attempts at devices that are silent.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { Cancel, Clock } from '../../time.js';
import type { Address, BleError } from '../ports.js';
import type { Heard } from './heard.js';

/** An attempt may last so long while a device that was just heard waits, ms: one that is there is connected sooner. */
export const GIVE_WAY_MS = 2_000;

/**
 * A device is just heard if it was so lately, ms, before the last packet of anybody: the adapter may be deaf while it
 * connects.
 */
const JUST_MS = 2_000;

/** Who has waited so long is passed over no more, ms; of those that are silent one in that time. */
export const PASSED_OVER_MS = 10_000;

/** `L`: a link. */
export interface ConnectQueueOptions<L> {
  readonly clock: Clock;
  /** How long the attempts for one request may take in all, milliseconds. */
  readonly limit: number;
  readonly heard: Pick<Heard, 'at' | 'newest'>;
  /** Tries until it succeeds, fails, or `stop` aborts; resolves when the controller has ended the attempt. */
  readonly attempt: (address: Address, stop: AbortSignal) => Promise<E.Either<BleError, L>>;
  /** Ends a link that came about after all. */
  readonly discard: (link: L) => Promise<void>;
  /** Told when somebody has to wait, so that the adapter hears who is there, and when nobody does any more. */
  readonly contended: (waiting: boolean) => void;
}

interface Request<L> {
  readonly address: Address;
  readonly settle: (outcome: E.Either<BleError, L>) => void;
  /** What is left of its limit, ms. */
  left: number;
  /** Attempts that gave way. */
  turns: number;
  /** When it began to wait for its turn. */
  since: number;
  /** When its last attempt gave way. */
  tried: number;
}

interface Turn<L> {
  readonly request: Request<L>;
  readonly began: number;
  readonly stop: AbortController;
  /** Why it was ended for good. */
  why?: BleError;
}

export class ConnectQueue<L> {
  /** Who waits longest comes first. */
  private readonly waiting: Request<L>[] = [];
  private turn: Turn<L> | undefined;
  private over: Promise<void> = Promise.resolve();
  private cancelGivingWay: Cancel = () => undefined;
  /** When the last attempt in vain at a silent device ended. */
  private silentUntil = -Infinity;

  constructor(private readonly options: ConnectQueueOptions<L>) {}

  /** Connects a device in its turn. `signal` gives it up: Left `Closed`. */
  connect(address: Address, signal?: AbortSignal): Promise<E.Either<BleError, L>> {
    return new Promise((resolve) => {
      const closed: BleError = { _tag: 'Closed', address };
      if (signal?.aborted === true) {
        resolve(E.left(closed));
        return;
      }
      const giveUp = (): void => this.giveUp(request, closed);
      const request: Request<L> = {
        address,
        settle: (outcome) => {
          signal?.removeEventListener('abort', giveUp);
          resolve(outcome);
        },
        left: this.options.limit,
        turns: 0,
        since: this.options.clock.now(),
        tried: -Infinity,
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.waiting.push(request);
      this.proceed();
    });
  }

  /** Whether a device waits or is being connected. */
  has(address: Address): boolean {
    return (
      this.turn?.request.address === address || this.waiting.some((request) => request.address === address)
    );
  }

  /** A device was heard. */
  heard(address: Address): void {
    if (this.waiting.some((request) => request.address === address)) this.proceed();
  }

  /** Ends all requests with `why`; resolves when no attempt is under way. */
  end(why: (address: Address) => BleError): Promise<void> {
    for (const { address, settle } of this.waiting.splice(0)) settle(E.left(why(address)));
    if (this.turn !== undefined) this.stop(this.turn, why(this.turn.request.address));
    this.proceed();
    return this.over;
  }

  private giveUp(request: Request<L>, why: BleError): void {
    const index = this.waiting.indexOf(request);
    if (index >= 0) {
      this.waiting.splice(index, 1);
      request.settle(E.left(why));
      this.proceed();
    } else if (this.turn?.request === request) {
      this.stop(this.turn, why);
    }
  }

  private stop(turn: Turn<L>, why: BleError): void {
    turn.why ??= why;
    turn.stop.abort();
  }

  /** Begins the next attempt, or sees whether the one under way has to give way: now, or when it has had its time. */
  private proceed(): void {
    const { clock, contended } = this.options;
    if (this.turn === undefined) {
      const next = this.next();
      if (next !== undefined) this.over = this.run(next);
    }
    contended(this.waiting.length > 0);
    this.cancelGivingWay();
    const { turn } = this;
    if (turn === undefined || !this.waiting.some((request) => this.isJustHeard(request))) return;
    const left = turn.began + this.patience(turn) - clock.now();
    if (left <= 0) turn.stop.abort();
    else this.cancelGivingWay = clock.after(left, () => this.proceed());
  }

  /** Takes out who comes next. */
  private next(): Request<L> | undefined {
    const now = this.options.clock.now();
    const at = ({ address }: Request<L>): number => this.options.heard.at(address) ?? -Infinity;
    const heard = this.waiting.filter((request) => this.isJustHeard(request));
    const [first] = heard.sort((a, b) => a.turns - b.turns || at(b) - at(a));
    const overdue = this.waiting.find((request) => {
      const since = heard.includes(request) ? request.since : Math.max(request.since, this.silentUntil);
      return now - since >= PASSED_OVER_MS;
    });
    const next = overdue ?? first ?? this.waiting[0];
    if (next !== undefined) this.waiting.splice(this.waiting.indexOf(next), 1);
    return next;
  }

  private async run(request: Request<L>): Promise<void> {
    const { clock, limit, attempt, discard } = this.options;
    const { address } = request;
    const turn: Turn<L> = { request, began: clock.now(), stop: new AbortController() };
    const { signal } = turn.stop;
    this.turn = turn;
    const cancelLimit = clock.after(request.left, () =>
      this.stop(turn, { _tag: 'Timeout', address, operation: 'connect', ms: limit }),
    );
    signal.addEventListener('abort', () => {
      cancelLimit();
      request.left -= clock.now() - turn.began;
    });
    const outcome = await attempt(address, signal);
    cancelLimit();
    if (E.isLeft(outcome) && this.isSilent(turn)) this.silentUntil = clock.now();
    if (E.isRight(outcome) && turn.why !== undefined) await discard(outcome.right);
    this.turn = undefined;
    if (turn.why !== undefined) request.settle(E.left(turn.why));
    else if (E.isRight(outcome) || !signal.aborted) request.settle(outcome);
    else this.again(request);
    this.proceed();
  }

  /** The end of the queue for one that gave way. */
  private again(request: Request<L>): void {
    request.turns += 1;
    request.tried = request.since = this.options.clock.now();
    this.waiting.push(request);
  }

  /** Heard lately, and not tried in vain since. */
  private isJustHeard({ address, tried }: Request<L>): boolean {
    const { at, newest } = this.heardOf(address);
    return at >= newest - JUST_MS && at > tried;
  }

  private isSilent({ request, began }: Turn<L>): boolean {
    return this.heardOf(request.address).at < began;
  }

  private heardOf(address: Address): { readonly at: number; readonly newest: number } {
    const { heard } = this.options;
    return { at: heard.at(address) ?? -Infinity, newest: heard.newest };
  }

  /** Who is there and yet takes long gets more time at each turn: two of that kind would stop each other for ever. */
  private patience(turn: Turn<L>): number {
    return this.isSilent(turn) ? GIVE_WAY_MS : GIVE_WAY_MS * 2 ** turn.request.turns;
  }
}
