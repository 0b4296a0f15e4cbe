/**
 * The queue of connection requests: an adapter makes one attempt at a time. A device that advertises waits no longer
 * than `GIVE_WAY_MS` for attempts at devices that are silent.
 */
import * as E from 'fp-ts/lib/Either.js';
import { describeStatus } from './hci/status.js';
import type { Cancel, TimeSource } from '../async/time.js';
import type { Address, BleError } from './ports.js';
import type { AdvertisementCache } from './advertisement-cache.js';

/** The limit of an attempt while a device that advertises waits, ms: a device in range is connected sooner. */
export const GIVE_WAY_MS = 2_000;

/**
 * A device counts as advertising if its last packet came at most this long before the last packet of any device, ms: the
 * adapter may receive nothing while it connects.
 */
const RECENT_MS = 2_000;

/** A request that has waited this long comes next, ms; requests for silent devices do so once in this time. */
export const PASSED_OVER_MS = 10_000;

/** `L`: a link. */
export interface ConnectQueueOptions<L> {
  readonly time: TimeSource;
  /** How long the attempts for one request may take in all, milliseconds. */
  readonly limit: number;
  readonly advertisements: Pick<AdvertisementCache, 'at' | 'newest'>;
  /** Tries until it succeeds, fails, or `stop` aborts; resolves when the controller has ended the attempt. */
  readonly attempt: (address: Address, stop: AbortSignal) => Promise<E.Either<BleError, L>>;
  /** Ends a link that was made after its request was given up. */
  readonly discard: (link: L) => Promise<void>;
  /** Called with true while requests wait, so that the adapter scans for their devices, and with false when the last has its turn. */
  readonly contended: (waiting: boolean) => void;
}

interface Request<L> {
  readonly address: Address;
  readonly settle: (outcome: E.Either<BleError, L>) => void;
  /** The time that remains of its limit, ms. */
  left: number;
  /** How many of its attempts gave way. */
  yields: number;
  /** The time at which it was queued. */
  since: number;
  /** The time at which its last attempt gave way. */
  tried: number;
}

interface Attempt<L> {
  readonly request: Request<L>;
  readonly began: number;
  readonly stop: AbortController;
  /** The reason why it was stopped and does not return to the queue. */
  endReason?: BleError;
}

export const connectFailed = (address: Address, reason: string): BleError => ({
  _tag: 'ConnectFailed',
  address,
  reason,
});

/** The controller reports `status`. */
export const connectRefused = (address: Address, status: number): BleError => ({
  _tag: 'ConnectFailed',
  address,
  reason: describeStatus(status),
  status,
});

export class ConnectQueue<L> {
  /** The request that has waited longest comes first. */
  private readonly waiting: Request<L>[] = [];
  private current: Attempt<L> | undefined;
  private over: Promise<void> = Promise.resolve();
  private cancelGivingWay: Cancel = () => undefined;
  /** The time at which the last attempt at a silent device failed. */
  private silentUntil = -Infinity;

  constructor(private readonly options: ConnectQueueOptions<L>) {}

  /** Connects a device when its turn has come. Left `Closed`: `signal` aborted the request. */
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
        yields: 0,
        since: this.options.time.now(),
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
      this.current?.request.address === address || this.waiting.some((request) => request.address === address)
    );
  }

  /** Takes note of a packet of a device. */
  advertised(address: Address): void {
    if (this.waiting.some((request) => request.address === address)) this.proceed();
  }

  /** Ends all requests with `reason`; resolves when no attempt is under way. */
  end(reason: (address: Address) => BleError): Promise<void> {
    for (const { address, settle } of this.waiting.splice(0)) settle(E.left(reason(address)));
    if (this.current !== undefined) this.stop(this.current, reason(this.current.request.address));
    this.proceed();
    return this.over;
  }

  private giveUp(request: Request<L>, reason: BleError): void {
    const index = this.waiting.indexOf(request);
    if (index >= 0) {
      this.waiting.splice(index, 1);
      request.settle(E.left(reason));
      this.proceed();
    } else if (this.current?.request === request) {
      this.stop(this.current, reason);
    }
  }

  private stop(attempt: Attempt<L>, reason: BleError): void {
    attempt.endReason ??= reason;
    attempt.stop.abort();
  }

  /** Begins the next attempt; ends the current one, now or when its time is over, if it must give way. */
  private proceed(): void {
    const { time, contended } = this.options;
    if (this.current === undefined) {
      const next = this.next();
      if (next !== undefined) this.over = this.run(next);
    }
    contended(this.waiting.length > 0);
    this.cancelGivingWay();
    const { current } = this;
    if (current === undefined || !this.waiting.some((request) => this.isAdvertising(request))) return;
    const left = current.began + this.patience(current) - time.now();
    if (left <= 0) current.stop.abort();
    else this.cancelGivingWay = time.after(left, () => this.proceed());
  }

  /** Removes the next request from the queue. */
  private next(): Request<L> | undefined {
    const now = this.options.time.now();
    const at = ({ address }: Request<L>): number => this.options.advertisements.at(address) ?? -Infinity;
    const advertising = this.waiting.filter((request) => this.isAdvertising(request));
    const [first] = advertising.sort((a, b) => a.yields - b.yields || at(b) - at(a));
    const overdue = this.waiting.find((request) => {
      const since = advertising.includes(request) ? request.since : Math.max(request.since, this.silentUntil);
      return now - since >= PASSED_OVER_MS;
    });
    const next = overdue ?? first ?? this.waiting[0];
    if (next !== undefined) this.waiting.splice(this.waiting.indexOf(next), 1);
    return next;
  }

  private async run(request: Request<L>): Promise<void> {
    const { time, limit, discard } = this.options;
    const { address } = request;
    const attempt: Attempt<L> = { request, began: time.now(), stop: new AbortController() };
    const { signal } = attempt.stop;
    this.current = attempt;
    const cancelLimit = time.after(request.left, () =>
      this.stop(attempt, { _tag: 'Timeout', address, operation: 'connect', ms: limit }),
    );
    signal.addEventListener('abort', () => {
      cancelLimit();
      request.left -= time.now() - attempt.began;
    });
    let outcome: E.Either<BleError, L>;
    try {
      outcome = await this.options.attempt(address, signal);
      if (E.isRight(outcome) && attempt.endReason !== undefined) await discard(outcome.right);
    } catch (defect) {
      outcome = E.left(connectFailed(address, String(defect)));
    }
    cancelLimit();
    if (E.isLeft(outcome) && this.isSilent(attempt)) this.silentUntil = time.now();
    this.current = undefined;
    if (attempt.endReason !== undefined) request.settle(E.left(attempt.endReason));
    else if (E.isRight(outcome) || !signal.aborted) request.settle(outcome);
    else this.again(request);
    this.proceed();
  }

  /** Moves a request that gave way to the end of the queue. */
  private again(request: Request<L>): void {
    request.yields += 1;
    request.tried = request.since = this.options.time.now();
    this.waiting.push(request);
  }

  /** Whether the device advertises, and has sent a packet since its last attempt. */
  private isAdvertising({ address, tried }: Request<L>): boolean {
    const { at, newest } = this.packetsOf(address);
    return at >= newest - RECENT_MS && at > tried;
  }

  private isSilent({ request, began }: Attempt<L>): boolean {
    return this.packetsOf(request.address).at < began;
  }

  private packetsOf(address: Address): { readonly at: number; readonly newest: number } {
    const { advertisements } = this.options;
    return { at: advertisements.at(address) ?? -Infinity, newest: advertisements.newest };
  }

  /** A slow device in range gets more time at each attempt: two of them would stop each other for ever. */
  private patience(attempt: Attempt<L>): number {
    return this.isSilent(attempt) ? GIVE_WAY_MS : GIVE_WAY_MS * 2 ** attempt.request.yields;
  }
}
