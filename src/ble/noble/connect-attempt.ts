import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import { isolated } from '../../async/defects.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import { settled } from '../../async/wait.js';
import { Status } from '../hci/status.js';
import { connectFailed, connectRefused } from '../connect-queue.js';
import type { Address, BleError } from '../ports.js';
import { DISCONNECT_LIMIT } from './link.js';
import type { Noble, NoblePeripheral } from './internals.js';
import { cancelConnect, forgetConnect, statusOf } from './noble.js';
import type { Scan } from './scan.js';

/** The requested supervision timeout, in noble's unit of 10 ms: its default of 420 ms loses links that are merely busy. */
const SUPERVISION_TIMEOUT = 400;

/** The answer of an adapter without room for another link. */
const NO_ROOM: readonly number[] = [Status.connectionLimitExceeded, 0x0d];

/** The part of an adapter that an attempt uses while it is on. */
export interface ReadyAdapter {
  readonly noble: Noble;
  readonly peripheral: NoblePeripheral;
  /** Aborted when the adapter is gone. */
  readonly adapterGone: AbortSignal;
}

export interface ConnectAttempt<L> {
  readonly address: Address;
  /** Left: the device cannot be connected now. */
  readonly ready: () => E.Either<BleError, ReadyAdapter>;
  readonly scan: Pick<Scan, 'pause'>;
  readonly time: TimeSource;
  /** Cancels the attempt at the controller. */
  readonly stop: AbortSignal;
  /** Called in the tick in which the link is made: the link may end in the same tick. */
  readonly linked: (peripheral: NoblePeripheral) => L;
}

/**
 * One request to the controller. After `stop` the controller must end the request within `DISCONNECT_LIMIT`, and may still make a
 * link. Left: the controller refused or ended the attempt, or is gone.
 */
const createConnection = <L>(
  { noble, peripheral, adapterGone }: ReadyAdapter,
  { time, stop, linked }: ConnectAttempt<L>,
): Task<E.Either<Error, L>> =>
  settled((settle) => {
    let cancelTimer: Cancel | undefined;
    const onConnect = isolated((error: Error | null): void =>
      settle(error == null ? E.right(linked(peripheral)) : E.left(error)),
    );
    const onStop = (): void => {
      cancelTimer = time.after(DISCONNECT_LIMIT, () => {
        settle(E.left(new Error('the adapter did not end the attempt')));
        forgetConnect(noble);
      });
      cancelConnect(noble, peripheral);
    };
    const onGone = (): void => settle(E.left(new Error('the adapter is gone')));
    stop.addEventListener('abort', onStop, { once: true });
    adapterGone.addEventListener('abort', onGone, { once: true });
    peripheral.on('connect', onConnect);
    peripheral.connect({ timeout: SUPERVISION_TIMEOUT });
    return () => {
      cancelTimer?.();
      stop.removeEventListener('abort', onStop);
      adapterGone.removeEventListener('abort', onGone);
      peripheral.removeListener('connect', onConnect);
    };
  });

const explain = (address: Address, cause: BleError | Error): BleError => {
  if (!(cause instanceof Error)) return cause;
  const status = statusOf(cause);
  if (status === undefined) return connectFailed(address, cause.message);
  return NO_ROOM.includes(status) ? { _tag: 'LinkLimit', address } : connectRefused(address, status);
};

/**
 * One attempt to connect a device, without a limit. Resolves when the controller has ended it, since the next attempt must
 * not begin before. A stopped attempt is Right too if the link was made first.
 */
export const attemptConnect = async <L>(attempt: ConnectAttempt<L>): Promise<E.Either<BleError, L>> => {
  const { address, ready, scan, stop } = attempt;
  const create = async (): Promise<E.Either<BleError | Error, L>> => {
    const adapter = ready();
    if (E.isLeft(adapter)) return adapter;
    return stop.aborted
      ? E.left<BleError>({ _tag: 'Closed', address })
      : createConnection(adapter.right, attempt)();
  };
  let outcome = await create();
  if (E.isLeft(outcome) && outcome.left instanceof Error) {
    if (statusOf(outcome.left) === Status.commandDisallowed) {
      // Some adapters cannot connect while they scan.
      scan.pause(true);
      outcome = await create();
      scan.pause(false);
    }
  }
  return E.mapLeft((cause: BleError | Error) => explain(address, cause))(outcome);
};
