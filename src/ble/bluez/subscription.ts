/**
 * The notifications of a characteristic. BlueZ broadcasts each of them once for every program that subscribes, so that all get it twice
 * if two have subscribed. One subscription is enough for all: ours is given up while another program has one.
 */
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../async/defects.js';
import type { TimeSource } from '../../async/time.js';
import type { BleError } from '../ports.js';

/**
 * BlueZ sends the copies of a notification one right after another; how much later they may arrive, ms. A device that repeats a
 * notification, such as a tap, takes longer: each examination may lose what the device sends meanwhile.
 */
const COPY_MS = 100;

/** After equal notifications that the device has sent itself, equal ones are not examined for this time, ms. */
const TRUST_MS = 60_000;

export interface SubscriptionOptions {
  readonly time: TimeSource;
  readonly listener: (value: Buffer) => void;
  /** Calls the method as an operation of the link, which ends if BlueZ does not answer in time. */
  readonly call: (member: 'StartNotify' | 'StopNotify') => Promise<E.Either<BleError, unknown>>;
  /** Whether any program has subscribed, as BlueZ last reported. */
  readonly isNotifying: () => boolean;
  /** Called when another program is found to have subscribed, and when it has no longer. */
  readonly shared: (isShared: boolean) => void;
  /** Called with the error of a subscription that could not be made again. */
  readonly failed: (error: BleError) => void;
}

interface Notification {
  readonly value: Buffer;
  readonly serial: number;
  readonly at: number;
  /** Whether it equals the one before, after which BlueZ has sent nothing else. */
  readonly isCopy: boolean;
}

export class Subscription {
  private last: Notification | undefined;
  /** The notifications since a copy, until it is known whether another program has subscribed. */
  private held: Notification[] | undefined;
  private trustedUntil = -Infinity;
  /** Whether another program has subscribed, so that this one has not. */
  isShared = false;

  constructor(private readonly options: SubscriptionOptions) {}

  /** `serial`: the number of BlueZ's message. */
  receive(value: Buffer, serial: number): void {
    const { last } = this;
    const at = this.options.time.now();
    const isNext = last !== undefined && serial === last.serial + 1 && at - last.at < COPY_MS;
    const isCopy = isNext && !last.isCopy && last.value.equals(value);
    const notification = (this.last = { value, serial, at, isCopy });
    if (this.held !== undefined) this.held.push(notification);
    else if (isCopy && !this.isShared && at >= this.trustedUntil) {
      this.held = [notification];
      detached(this.examine());
    } else this.options.listener(value);
  }

  /** Takes note that no program has subscribed any more. */
  ended(): void {
    if (!this.isShared) return;
    this.isShared = false;
    this.options.shared(false);
    detached(this.restart());
  }

  /** Gives the subscription up: if BlueZ still notifies, another program has one, and copies are those of its broadcasts. */
  private async examine(): Promise<void> {
    const { call, isNotifying, listener, shared, time } = this.options;
    const stopped = await call('StopNotify');
    this.isShared = E.isRight(stopped) && isNotifying();
    if (!this.isShared) {
      this.trustedUntil = time.now() + TRUST_MS;
      if (E.isRight(stopped)) await this.restart();
    }
    const { held = [] } = this;
    this.held = undefined;
    for (const { value, isCopy } of held) if (!isCopy || !this.isShared) listener(value);
    if (this.isShared) shared(true);
  }

  private async restart(): Promise<void> {
    const started = await this.options.call('StartNotify');
    if (E.isLeft(started)) this.options.failed(started.left);
  }
}
