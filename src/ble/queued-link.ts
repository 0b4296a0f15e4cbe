/** A link whose operations run one after another, each within its limit. */
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { detached, Listeners } from '../async/defects.js';
import { SerialQueue } from '../async/tasks.js';
import type { Cancel, TimeSource } from '../async/time.js';
import { settled } from '../async/wait.js';
import { shortest } from './hci/att.js';
import type { Address, BleError, Unsubscribe, Uuid } from './ports.js';

/** How many operations may wait on one link. */
const QUEUE_LIMIT = 64;

/** Takes the result of an operation; a rejected promise is a defect. */
export type Settle<A> = (result: E.Either<BleError, A> | Promise<never>) => void;

/** Starts an operation; the returned function removes its listeners. */
export type Start<A> = (settle: Settle<A>) => Cancel | undefined;

/** `C`: the record of a characteristic. */
export abstract class QueuedLink<C> {
  protected characteristics: ReadonlyMap<Uuid, C> = new Map();
  private cause: BleError | undefined;
  private readonly endListeners = new Listeners<BleError>();
  private readonly operations = new SerialQueue();

  constructor(
    readonly address: Address,
    protected readonly time: TimeSource,
  ) {}

  get ended(): BleError | undefined {
    return this.cause;
  }

  onEnd(listener: (cause: BleError) => void): Unsubscribe {
    if (this.cause === undefined) return this.endListeners.add(listener);
    listener(this.cause);
    return () => undefined;
  }

  readonly disconnect: Task<void> = () => this.close({ _tag: 'Closed', address: this.address });

  fail(cause: BleError): void {
    detached(this.close(cause));
  }

  /** Ends the link for `cause`, at once for its users; resolves when it has ended on the air. */
  protected abstract close(cause: BleError): Promise<void>;

  /** Called once, when the link has ended, before its listeners. */
  protected abstract release(): void;

  /** Hands `cause` to all operations and listeners, once. */
  protected end(cause: BleError): void {
    if (this.cause !== undefined) return;
    this.cause = cause;
    this.release();
    this.endListeners.call(cause);
  }

  /** Performs an operation when all earlier operations are done; `ms` count from then on. */
  protected operation<A>(name: string, ms: number, start: Start<A>): TaskEither<BleError, A> {
    const { address } = this;
    const perform = settled<E.Either<BleError, A>>((settle) => {
      const unwatch = this.onEnd((cause) => settle(E.left(cause)));
      const cancelLimit = this.time.after(ms, () =>
        this.fail({ _tag: 'Timeout', address, operation: name, ms }),
      );
      const stop = this.started(start, settle);
      return () => {
        unwatch();
        cancelLimit();
        stop?.();
      };
    });
    return () => {
      if (this.cause !== undefined) return Promise.resolve(E.left(this.cause));
      if (this.operations.size > QUEUE_LIMIT) return Promise.resolve(E.left({ _tag: 'Busy', address }));
      return this.operations.run(perform);
    };
  }

  /** Performs an operation that `run` starts and ends; it has no listeners. */
  protected perform<A>(
    name: string,
    ms: number,
    run: () => Promise<E.Either<BleError, A>>,
  ): TaskEither<BleError, A> {
    return this.operation<A>(name, ms, (settle) => {
      run().then(settle, (defect: unknown) => settle(Promise.reject(E.toError(defect))));
      return undefined;
    });
  }

  /** Starts an operation unless the link has ended while it waited. */
  private started<A>(start: Start<A>, settle: Settle<A>): Cancel | undefined {
    try {
      return this.cause === undefined ? start(settle) : undefined;
    } catch (defect) {
      settle(Promise.reject(E.toError(defect)));
      return undefined;
    }
  }

  /** An operation on a discovered characteristic. */
  protected onCharacteristic<A>(
    operation: string,
    uuid: Uuid,
    run: (characteristic: C) => TaskEither<BleError, A>,
  ): TaskEither<BleError, A> {
    const characteristic = this.characteristics.get(shortest(uuid));
    return characteristic === undefined
      ? () => Promise.resolve(E.left(this.gattFailed(operation, `characteristic ${uuid} was not discovered`)))
      : run(characteristic);
  }

  protected gattFailed(operation: string, reason: string, error?: number): BleError {
    const { address } = this;
    return { _tag: 'GattFailed', address, operation, reason, ...(error !== undefined && { error }) };
  }
}
