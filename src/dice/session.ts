/** A session: one die as clients know it, through losses of its link. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { maintainConnection, type ConnectionOptions } from '../devices/connection.js';
import type { Address } from '../ble/ports.js';
import { ABORTED, type DeviceError } from '../devices/device-error.js';
import { SerialQueue } from '../async/tasks.js';
import { wait } from '../async/wait.js';
import { parseError } from '../codecs/index.js';
import type { DetailedStatus, DiceEvent, Status } from './contract.js';
import { capabilitiesOf, type Die, type InitialCommands, type Received } from './port/driver.js';
import { ledControl, type LedChange } from './leds.js';
import { requestLimit } from './request-limit.js';
import {
  applyReport,
  faceUp,
  happenedDuringLoss,
  calibrated,
  calibrationOf,
  diceTypeOf,
  knownMotion,
  shellOf,
  withDiceType,
  withoutLink,
  type Calibration,
  type DieState,
  type Motion,
  type Shell,
} from './state.js';
import { LEDS, type DiceType, type Leds, type Pulse, type Taps } from './port/values.js';

/** Requests of clients that may be under way for one die, each of those that become one write counted. */
const MAX_REQUESTS = 64;

/** Where an event comes from. */
export interface Origin {
  readonly sessionId: string;
  readonly address: Address;
}

export interface SessionOptions extends Omit<
  ConnectionOptions<Die>,
  'reconnect' | 'onConnected' | 'onDisconnected' | 'onSignal'
> {
  /** Makes a new link and opens the die. */
  readonly reconnect: (commands: InitialCommands, signal: AbortSignal) => TE.TaskEither<DeviceError, Die>;
  readonly id: string;
  readonly state: DieState;
  /** Another server had it before, and lost it: what was known of it there. */
  readonly takenOver: TakenOver | undefined;
  /** Milliseconds a client waits for a die to lie still, and for a lost die to come back. */
  readonly waits: { readonly calibrate: number; readonly reconnect: number };
  readonly emit: (origin: Origin, event: DiceEvent) => void;
  /** Called whenever its status, its LEDs or its taps have changed without an event. */
  readonly changed: () => void;
}

/** The settings of clients, null if they set none; a die forgets LEDs and taps with its link. */
export interface Settings {
  /** Null: the die knows its own type. */
  readonly shell: Shell | null;
  readonly leds: Leds | null;
  readonly taps: Taps | null;
}

/** The knowledge of a server about a die, for another that takes it over. */
export interface TakenOver extends Settings {
  readonly motion: Motion | null;
}

/** A field that is left out stays as it is. */
type TapsChange = { readonly [K in keyof Taps]?: boolean | undefined };

/**
 * Starts the session of a die that was just opened. Calls fail with `NotConnected` during a link loss, immediately with the
 * reason when the link is lost, and with `Busy` while too many are under way.
 */
export const startSession = (first: Die, options: SessionOptions) => {
  const { id, address, time, waits, takenOver, changed } = options;
  const emit = (event: DiceEvent): void => options.emit({ sessionId: id, address }, event);
  let state: DieState = {
    ...options.state,
    ...(takenOver !== undefined && { beforeLoss: takenOver.motion }),
  };
  /** The one that is connected, or was last. */
  let newest = first;
  let taps = takenOver?.taps ?? null;
  const tapChanges = new SerialQueue();
  let over = false;
  const watchers = new Set<() => void>();

  const away = (): DeviceError =>
    connection.phase._tag === 'Ended'
      ? { _tag: 'SessionNotFound', id }
      : { _tag: 'NotConnected', address, cause: 'reconnecting' };

  const didNotComeBack: DeviceError = { _tag: 'NotConnected', address, cause: 'lost' };

  const limited = requestLimit<DeviceError>(MAX_REQUESTS, { _tag: 'Busy', address });

  /** A request of a client. */
  const withDie = <A>(use: (die: Die) => TE.TaskEither<DeviceError, A>): TE.TaskEither<DeviceError, A> =>
    pipe(
      TE.fromIO(() => connection.phase),
      TE.chain((phase) => (phase._tag === 'Connected' ? limited(use(phase.device)) : TE.left(away()))),
    );

  const { driver } = state;

  const refused = (message: string): TE.TaskEither<DeviceError, never> =>
    TE.left(parseError(message, 'not_supported'));

  const impossible = (request: string): TE.TaskEither<DeviceError, never> =>
    refused(`${request} is not possible: no ${driver.model} die can do it`);

  const leds = ledControl((wanted) => () => newest.setLeds(wanted)(), takenOver?.leds);

  const changeTaps = ({ setTaps }: Die, change: TapsChange): TE.TaskEither<DeviceError, Taps> => {
    if (setTaps === null) return impossible('taps');
    return pipe(
      TE.fromIO((): Taps => {
        const { single = taps?.single ?? false, double = taps?.double ?? false } = change;
        return { single, double };
      }),
      TE.chainFirst(setTaps),
      TE.map((set) => (taps = set)),
    );
  };

  const initialCommands = (): InitialCommands => ({ askColour: state.colour === null, leds: leds.lit, taps });

  const receive = ({ report, makesEvent }: Received): void => {
    if (over) return;
    const before = state;
    const [next, event] = applyReport(before, report);
    state = next;
    if (event !== null && (makesEvent || happenedDuringLoss(before, next))) emit(event);
    else changed();
    for (const watcher of watchers) watcher();
  };

  const connection = maintainConnection(first, {
    ...options,
    reconnect: (signal) =>
      pipe(
        TE.fromIO(initialCommands),
        TE.chain((commands) => options.reconnect(commands, signal)),
      ),
    onConnected: (die, again) => {
      newest = die;
      if (again || takenOver !== undefined) emit({ kind: 'Reconnected' });
      die.listen(receive);
    },
    onSignal: (rssi) => {
      state = { ...state, rssi };
      changed();
    },
    onSessionEnded: () => {
      over = true;
      options.onSessionEnded();
    },
    onDisconnected: () => {
      state = withoutLink(state);
      emit({ kind: 'Disconnected' });
    },
  });

  /** Calls `look` after every change, until it returns something. */
  const until = <A>(
    look: () => E.Either<DeviceError, A> | undefined,
    ms: number,
    signal: AbortSignal,
    late: DeviceError,
  ): TE.TaskEither<DeviceError, A> =>
    pipe(
      wait<E.Either<DeviceError, A>>({ time, ms, signal }, (settle) => {
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
      TE.mapLeft((unmet) => (unmet === 'aborted' ? ABORTED : late)),
      TE.chain(TE.fromEither),
    );

  const calibrationOn = (die: Die) => (): E.Either<DeviceError, Calibration> | undefined => {
    const { phase } = connection;
    if (phase._tag !== 'Connected' || phase.device !== die) {
      const reason = die.link.ended;
      return E.left(reason ?? away());
    }
    const calibration = calibrationOf(state);
    return calibration === null ? undefined : E.right(calibration);
  };

  const isConnected = (): boolean => connection.phase._tag === 'Connected';

  const status = (): Status => {
    const { name, battery, colour, charging, rssi, rolling } = state;
    return {
      session_id: id,
      address,
      name,
      dice_type: diceTypeOf(state),
      connected: isConnected(),
      battery_level: battery,
      color: colour,
      charging,
      rssi,
      rolling,
      face: faceUp(state),
    };
  };

  return {
    id,
    address,
    /** As it is known, without a request to the die. */
    get status(): Status {
      return status();
    },
    get detailed(): DetailedStatus {
      return {
        ...status(),
        ...{ maker: driver.model, capabilities: capabilitiesOf(newest), leds: leds.lit, taps },
      };
    },
    driver,
    /** The one that is connected, or was last. */
    get die(): Die {
      return newest;
    },
    get settings(): Settings {
      return { shell: shellOf(state), leds: leds.lit, taps };
    },
    /** As clients know it; during a link loss, as they knew it before. */
    get motion(): Motion | null {
      return knownMotion(state);
    },
    get connected(): E.Either<DeviceError, void> {
      return isConnected() ? E.right(undefined) : E.left(away());
    },
    /** Waits out a link loss. Left `NotConnected` when the die does not come back in time. */
    whenConnected: (signal: AbortSignal): TE.TaskEither<DeviceError, void> =>
      pipe(
        connection.whenSettled({ time, ms: waits.reconnect, signal }),
        TE.mapLeft((unmet): DeviceError => (unmet === 'aborted' ? ABORTED : didNotComeBack)),
        TE.chain((isBack) => (isBack ? TE.right(undefined) : TE.left(didNotComeBack))),
      ),
    /** Left `WrongDiceType`. */
    setDiceType: (diceType: DiceType): E.Either<DeviceError, void> =>
      pipe(
        withDiceType(state, diceType),
        E.map((next) => {
          state = next;
          changed();
        }),
      ),
    /** It advertises another name. */
    rename: (name: string) => {
      if (name === state.name) return;
      state = { ...state, name };
      changed();
    },
    setLeds: (change: LedChange): TE.TaskEither<DeviceError, Leds> =>
      pipe(
        withDie((die) => {
          const missing = LEDS.find((led) => change[led] !== undefined && !die.leds.includes(led));
          return missing === undefined ? leds.set(change) : impossible(missing);
        }),
        TE.chainFirstIOK(() => changed),
      ),
    pulse: (pulse: Pulse): TE.TaskEither<DeviceError, void> =>
      withDie((die) => {
        const { leds: led } = pulse;
        if (led !== 'both' && !die.leds.includes(led)) return impossible(led);
        return die.pulse?.(pulse) ?? impossible('pulse');
      }),
    setTaps: (change: TapsChange): TE.TaskEither<DeviceError, Taps> =>
      pipe(
        withDie((die) => () => tapChanges.run(changeTaps(die, change))),
        TE.chainFirstIOK(() => changed),
      ),
    /** Per cent, requested from the die. */
    battery: withDie((die) => die.battery),
    /** Waits until the die lies still; Left `NotStill` if it does not. */
    calibrate: (signal: AbortSignal): TE.TaskEither<DeviceError, Calibration> =>
      withDie((die) => {
        if (typeof die.type === 'string') {
          return refused(`calibrate is not needed: ${driver.model} dice measure their faces themselves`);
        }
        const late: DeviceError = { _tag: 'NotStill', address, ms: waits.calibrate };
        return pipe(
          until(calibrationOn(die), waits.calibrate, signal, late),
          TE.map((calibration) => {
            state = calibrated(state, calibration);
            changed();
            return calibration;
          }),
        );
      }),
    /** Ends the session immediately and resolves when its link has ended. */
    end: connection.end,
  };
};

export type Session = ReturnType<typeof startSession>;
