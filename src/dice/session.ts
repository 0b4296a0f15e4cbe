/** A session: one die as the server's clients know it. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { holdDevice, type ConnectionOptions } from '../ble/connection.js';
import { failureOf } from '../ble/keep-trying.js';
import type { BleError } from '../ble/ports.js';
import { coreError, notConnected, radioError, shuttingDown, type ServerError } from '../http/index.js';
import { SerialQueue } from '../serial-queue.js';
import { wait } from '../wait.js';
import type { DiceEvent, Status } from './contract.js';
import type { Die, Opening } from './die.js';
import type { Received } from './inbox.js';
import { ledControl, type LedChange, type Leds } from './leds.js';
import { faceOf, type Acceleration, type Command, type DiceType, type Pulse } from './protocol/index.js';
import { requestLimit } from './request-limit.js';
import { calibrated, faceUp, heard, lyingStill, withDiceType, withoutLink, type DieState } from './state.js';

/** Requests of clients that may be under way for one die, each of those that become one write counted. */
const MAX_REQUESTS = 64;

export interface SessionOptions extends Omit<ConnectionOptions<Die>, 'reopen' | 'attached' | 'detached'> {
  /** Makes a new link and opens the die. */
  readonly reopen: (opening: Opening, signal: AbortSignal) => TE.TaskEither<BleError, Die>;
  readonly id: string;
  readonly state: DieState;
  /** Milliseconds a client waits for a die to lie still, and for a lost die to come back. */
  readonly waits: { readonly calibrate: number; readonly reconnect: number };
  readonly emit: (event: DiceEvent) => void;
}

export interface Taps {
  readonly single: boolean;
  readonly double: boolean;
}

/** What is left out stays as it is. */
type TapsChange = { readonly [K in keyof Taps]?: boolean | undefined };

export interface Calibration {
  readonly face: number;
  readonly offset: Acceleration;
}

/**
 * Calls fail with `not_connected` (404) during a link loss, at once with the reason when the link is lost, and with
 * `too_many_requests` (429) while too many are under way.
 */
export interface Session {
  readonly id: string;
  /** As it is known, without asking the die. */
  readonly status: Status;
  readonly connected: E.Either<ServerError, Session>;
  /** Waits out a link loss. Left (404) when the die does not come back, or not in time. */
  readonly whenConnected: (signal: AbortSignal) => TE.TaskEither<ServerError, Session>;
  readonly setDiceType: (diceType: DiceType) => void;
  readonly setLeds: (change: LedChange) => TE.TaskEither<ServerError, Leds>;
  readonly pulse: (pulse: Pulse) => TE.TaskEither<ServerError, void>;
  readonly setTaps: (change: TapsChange) => TE.TaskEither<ServerError, Taps>;
  /** Per cent, asked from the die. */
  readonly battery: TE.TaskEither<ServerError, number>;
  /** Waits until the die lies still; Left `calibration_failed` if it does not. */
  readonly calibrate: (signal: AbortSignal) => TE.TaskEither<ServerError, Calibration>;
  /** Ends the session at once and resolves when its link has ended. */
  readonly end: Task<void>;
}

export const sessionNotFound = (id: string): ServerError =>
  notConnected('session_not_found', `session "${id}" is not known`);

const tapCommands = ({ single, double }: Taps): readonly Command[] => [
  { _tag: 'SingleTap', on: single },
  { _tag: 'DoubleTap', on: double },
];

/** Starts the session of a die that was just opened. */
export const startSession = (first: Die, options: SessionOptions): Session => {
  const { id, address, clock, waits, emit } = options;
  let state = options.state;
  /** The one that is connected, or was last. */
  let newest = first;
  let taps: Taps | undefined;
  const tapChanges = new SerialQueue();
  let over = false;
  const watchers = new Set<() => void>();

  const away = (): ServerError =>
    connection.phase._tag === 'Ended'
      ? sessionNotFound(id)
      : notConnected('not_connected', `device ${address} is not connected: the server is reconnecting to it`);

  const limited = requestLimit(MAX_REQUESTS, radioError({ _tag: 'Busy', address }));

  /** A request of a client. */
  const withDie = <A>(use: (die: Die) => TE.TaskEither<ServerError, A>): TE.TaskEither<ServerError, A> =>
    pipe(
      TE.fromIO(() => connection.phase),
      TE.chain((phase) => (phase._tag === 'Connected' ? limited(use(phase.device)) : TE.left(away()))),
    );

  const send = (die: Die, ...commands: readonly Command[]): TE.TaskEither<ServerError, void> =>
    pipe(commands, TE.traverseSeqArray(die.send), TE.asUnit, TE.mapLeft(radioError));

  const leds = ledControl((wanted) => () => send(newest, { _tag: 'Leds', ...wanted })());

  const changeTaps = (die: Die, change: TapsChange): TE.TaskEither<ServerError, Taps> =>
    pipe(
      TE.fromIO((): Taps => {
        const { single = taps?.single ?? false, double = taps?.double ?? false } = change;
        return { single, double };
      }),
      TE.chainFirst((wanted) => send(die, ...tapCommands(wanted))),
      TE.map((set) => (taps = set)),
    );

  const reopening = (): Opening => ({
    askColour: state.colour === null,
    restore: [
      ...(leds.lit === undefined ? [] : [{ _tag: 'Leds', ...leds.lit } as const]),
      ...(taps === undefined ? [] : tapCommands(taps)),
    ],
  });

  const hear = ({ notification, isNews }: Received): void => {
    if (over) return;
    const [next, event] = heard(state, notification);
    state = next;
    if (isNews && event !== null) emit(event);
    for (const watcher of watchers) watcher();
  };

  const connection = holdDevice(first, {
    ...options,
    reopen: (signal) =>
      pipe(
        TE.fromIO(reopening),
        TE.chain((opening) => options.reopen(opening, signal)),
        TE.mapLeft(failureOf),
      ),
    attached: (die, again) => {
      newest = die;
      if (again) emit({ kind: 'Reconnected' });
      die.listen(hear);
    },
    ended: () => {
      over = true;
      options.ended();
    },
    detached: () => {
      state = withoutLink(state);
      emit({ kind: 'Disconnected' });
    },
  });

  /** Looks again whenever something has changed, until `look` sees something. */
  const until = <A>(
    look: () => E.Either<ServerError, A> | undefined,
    ms: number,
    signal: AbortSignal,
    late: () => ServerError,
  ): TE.TaskEither<ServerError, A> =>
    pipe(
      wait<E.Either<ServerError, A>>({ clock, ms, signal }, (settle) => {
        const watcher = (): void => {
          const seen = look();
          if (seen !== undefined) settle(seen);
        };
        const unwatch = connection.watch(watcher);
        watchers.add(watcher);
        watcher();
        return () => {
          watchers.delete(watcher);
          unwatch();
        };
      }),
      TE.mapLeft((unmet) => (unmet === 'aborted' ? shuttingDown : late())),
      TE.chain(TE.fromEither),
    );

  const lyingStillOn = (die: Die) => (): E.Either<ServerError, Acceleration> | undefined => {
    const { phase } = connection;
    if (phase._tag !== 'Connected' || phase.device !== die) {
      const why = die.link.ended;
      return E.left(why === undefined ? away() : radioError(why));
    }
    const still = lyingStill(state);
    return still === null ? undefined : E.right(still);
  };

  const session: Session = {
    id,
    get status() {
      const { name, diceType, battery, colour, charging, rssi, rolling } = state;
      return {
        session_id: id,
        address,
        name,
        dice_type: diceType,
        connected: connection.phase._tag === 'Connected',
        battery_level: battery,
        color: colour,
        charging,
        rssi,
        rolling,
        face: faceUp(state),
      };
    },
    get connected() {
      return connection.phase._tag === 'Connected' ? E.right(session) : E.left(away());
    },
    whenConnected: (signal) =>
      pipe(
        connection.settled({ clock, ms: waits.reconnect, signal }),
        TE.mapLeft((unmet) => (unmet === 'aborted' ? shuttingDown : away())),
        TE.chainEitherK(() => session.connected),
      ),
    setDiceType: (diceType) => {
      state = withDiceType(state, diceType);
    },
    setLeds: (change) => withDie(() => leds.set(change)),
    pulse: (pulse) => withDie((die) => send(die, { _tag: 'Pulse', ...pulse })),
    setTaps: (change) => withDie((die) => () => tapChanges.run(changeTaps(die, change))),
    battery: withDie((die) => die.battery),
    calibrate: (signal) =>
      withDie((die) =>
        pipe(
          until(lyingStillOn(die), waits.calibrate, signal, () =>
            coreError(
              'calibration_failed',
              `device ${address} did not lie still on a face within ${waits.calibrate / 1000} s`,
            ),
          ),
          TE.map((measured) => {
            state = calibrated(state, measured);
            return { face: faceOf(state.diceType, measured), offset: state.offset };
          }),
        ),
      ),
    end: connection.end,
  };
  return session;
};
