import * as E from 'fp-ts/lib/Either.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import { describeStatus, Status } from '../hci/status.js';
import type { Address, BleError } from '../ports.js';
import { DISCONNECT_LIMIT } from './link.js';
import type { Noble, NoblePeripheral } from './internals.js';
import { cancelConnect, forgetConnect, statusOf } from './noble.js';
import type { Scan } from './scan.js';

/** Supervision timeout asked for, in noble's unit of 10 ms: its default of 420 ms loses links that are merely busy. */
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
  /** Called in the very tick in which there is a link, since it may end in the same. */
  readonly linked: (peripheral: NoblePeripheral) => L;
}

export const connectFailed = (address: Address, reason: string): BleError => ({
  _tag: 'ConnectFailed',
  address,
  reason,
});

/** An error: the controller refused or ended the attempt, or is gone. */
type Event = 'Connected' | 'Stopped' | 'CancelTimedOut' | Error;

type State =
  | { readonly _tag: 'Connecting' }
  /** The controller must end the attempt within `DISCONNECT_LIMIT`; a link may still be made. */
  | { readonly _tag: 'Cancelling'; readonly cancelTimer: Cancel }
  | { readonly _tag: 'Over' };

/** One request to the controller: `Stopped` leads from `Connecting` to `Cancelling`, any other event to `Over`. */
const createConnection = <L>(
  { noble, peripheral, adapterGone: adapterGone }: ReadyAdapter,
  { time, stop, linked }: ConnectAttempt<L>,
): Promise<E.Either<Error, L>> =>
  new Promise((resolve) => {
    let state: State = { _tag: 'Connecting' };

    const finish = (outcome: E.Either<Error, L>): void => {
      if (state._tag === 'Cancelling') state.cancelTimer();
      state = { _tag: 'Over' };
      stop.removeEventListener('abort', onStop);
      adapterGone.removeEventListener('abort', onGone);
      peripheral.removeListener('connect', onConnect);
      resolve(outcome);
    };
    const handle = (event: Event): void => {
      if (state._tag === 'Over') return;
      if (event === 'Stopped') {
        const cancelTimer = time.after(DISCONNECT_LIMIT, () => handle('CancelTimedOut'));
        state = { _tag: 'Cancelling', cancelTimer };
        cancelConnect(noble, peripheral);
      } else if (event === 'Connected') {
        finish(E.right(linked(peripheral)));
      } else if (event === 'CancelTimedOut') {
        finish(E.left(new Error('the adapter did not end the attempt')));
        forgetConnect(noble);
      } else {
        finish(E.left(event));
      }
    };

    const onConnect = (error: Error | null): void => handle(error ?? 'Connected');
    const onStop = (): void => handle('Stopped');
    const onGone = (): void => handle(new Error('the adapter is gone'));
    stop.addEventListener('abort', onStop, { once: true });
    adapterGone.addEventListener('abort', onGone, { once: true });
    peripheral.on('connect', onConnect);
    peripheral.connect({ timeout: SUPERVISION_TIMEOUT });
  });

const explain = (address: Address, cause: BleError | Error): BleError => {
  if (!(cause instanceof Error)) return cause;
  const status = statusOf(cause);
  if (status === undefined) return connectFailed(address, cause.message);
  return NO_ROOM.includes(status)
    ? { _tag: 'LinkLimit', address }
    : connectFailed(address, describeStatus(status));
};

/**
 * One attempt to connect a device, as long as it takes. Resolves when the controller has ended it, since the next must
 * not begin before. Right, though it was stopped, if the link was made before.
 */
export const attemptConnect = async <L>(attempt: ConnectAttempt<L>): Promise<E.Either<BleError, L>> => {
  const { address, ready, scan, stop } = attempt;
  const create = async (): Promise<E.Either<BleError | Error, L>> => {
    const adapter = ready();
    if (E.isLeft(adapter)) return adapter;
    return stop.aborted
      ? E.left<BleError>({ _tag: 'Closed', address })
      : createConnection(adapter.right, attempt);
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
