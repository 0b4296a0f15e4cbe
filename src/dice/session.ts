/** A session with a die, which outlasts losses of its link. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { Connection, type ConnectionOptions } from '../devices/connection.js';
import type { Address } from '../ble/ports.js';
import { ABORTED, type DeviceError } from '../devices/device-error.js';
import { repeatedOn } from '../devices/repeated.js';
import { detached } from '../async/defects.js';
import { SerialQueue } from '../async/tasks.js';
import { MINUTE_MS } from '../async/time.js';
import { parseError } from '../codecs/index.js';
import type { DetailedStatus, DiceEvent, Status } from './contract.js';
import {
  capabilitiesOf,
  type Die,
  type DieDriver,
  type InitialCommands,
  type Received,
} from './port/driver.js';
import { ledControl, type LedChange } from './leds.js';
import {
  applyReport,
  faceUp,
  happenedDuringLoss,
  calibrated,
  calibrationOf,
  diceTypeOf,
  withDiceType,
  withoutLink,
  type Calibration,
  type DieState,
} from './state.js';
import {
  LEDS,
  type AnyDiceType,
  type DiceType,
  type Leds,
  type Pulse,
  type Taps,
} from '../protocols/dice-values.js';

/** The most requests of clients under way for a die; requests that share a write count one by one. */
const MAX_REQUESTS = 64;

/** How often a die that lies still is asked for its battery level, ms: most dice report it only then. */
export const BATTERY_MS = 10 * MINUTE_MS;

/** The origin of an event. */
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
  /** The name that people gave the die; null: none. */
  readonly label: () => string | null;
  /** How long a client waits for a die to lie still, and for a lost die to come back, ms. */
  readonly waits: { readonly calibrate: number; readonly reconnect: number };
  readonly emit: (origin: Origin, event: DiceEvent) => void;
  /** Called whenever its status, its LEDs or its taps have changed without an event. */
  readonly changed: () => void;
}

const refused = (message: string): TE.TaskEither<DeviceError, never> =>
  TE.left(parseError(message, 'not_supported'));

/** A change of the reported taps; fields that are left out stay as they are. */
type TapsChange = { readonly [K in keyof Taps]?: boolean | undefined };

/**
 * A session with a die. Calls fail with `NotConnected` during a link loss, with the reason as soon as the link is
 * lost, and with `Busy` while too many are under way.
 */
export class Session {
  readonly id: string;
  readonly address: Address;
  private readonly connection: Connection<Die>;
  private readonly leds;
  private readonly tapChanges = new SerialQueue();
  private state: DieState;
  /** The die of the current or last link. */
  private newest: Die;
  private taps: Taps | null = null;
  private isOver = false;
  /** Whether the die has reported its battery level on this link. */
  private hasLevel = false;
  /** How many requests are under way. */
  private requests = 0;

  constructor(
    first: Die,
    private readonly options: SessionOptions,
  ) {
    const { id, address, state } = options;
    this.id = id;
    this.address = address;
    this.state = state;
    this.newest = first;
    this.leds = ledControl((colours) => () => this.newest.setLeds(colours)());
    this.connection = new Connection({
      ...options,
      reconnect: (signal) =>
        pipe(
          TE.fromIO(() => this.initialCommands()),
          TE.chain((commands) => options.reconnect(commands, signal)),
        ),
      onConnected: (die, again) => {
        this.newest = die;
        if (again) this.emit({ kind: 'Reconnected' });
        this.hasLevel = false;
        die.listen((received) => this.receive(received));
        this.followBattery(die);
      },
      onSignal: (rssi) => this.change({ ...this.state, rssi }),
      onSessionEnded: () => {
        this.isOver = true;
        options.onSessionEnded();
      },
      onDisconnected: () => {
        this.state = withoutLink(this.state);
        this.emit({ kind: 'Disconnected' });
      },
    });
    this.connection.start(first);
  }

  /** The status without a request to the die. */
  get status(): Status {
    const { id, address, state } = this;
    const { name, battery, colour, charging, rssi, rolling } = state;
    return {
      session_id: id,
      address,
      name,
      dice_type: this.diceType,
      connected: E.isRight(this.connected),
      battery_level: battery,
      color: colour,
      charging,
      rssi,
      rolling,
      face: faceUp(state),
    };
  }

  get detailed(): DetailedStatus {
    const capabilities = capabilitiesOf(this.newest);
    return {
      ...{ ...this.status, label: this.options.label(), maker: this.driver.model },
      ...{ capabilities, leds: this.leds.lit, taps: this.taps },
      lost_until: this.connection.lostUntil?.toISOString() ?? null,
    };
  }

  get diceType(): AnyDiceType {
    return diceTypeOf(this.state);
  }

  get driver(): DieDriver {
    return this.state.driver;
  }

  get die(): Die {
    return this.newest;
  }

  get connected(): E.Either<DeviceError, void> {
    return this.connection.phase._tag === 'Connected' ? E.right(undefined) : E.left(this.away());
  }

  /** Waits out a link loss. Left `NotConnected`: the die did not come back in time. */
  whenConnected(signal: AbortSignal): TE.TaskEither<DeviceError, void> {
    const { address, time, waits } = this.options;
    const lost: DeviceError = { _tag: 'NotConnected', address, cause: 'lost' };
    return pipe(
      this.connection.whenSettled({ time, ms: waits.reconnect, signal }),
      TE.mapLeft((unmet): DeviceError => (unmet === 'aborted' ? ABORTED : lost)),
      TE.chain((isBack) => (isBack ? TE.right(undefined) : TE.left(lost))),
    );
  }

  /** Puts the die into a shell. Left `WrongDiceType`: the die reports another type. */
  setDiceType(diceType: DiceType): E.Either<DeviceError, void> {
    return pipe(
      withDiceType(this.state, diceType),
      E.map((state) => this.change(state)),
    );
  }

  /** Sets the name that the die advertises now. */
  rename(name: string): void {
    if (name !== this.state.name) this.change({ ...this.state, name });
  }

  setLeds(change: LedChange): TE.TaskEither<DeviceError, Leds> {
    return pipe(
      this.withDie((die) => {
        const missing = LEDS.find((led) => change[led] !== undefined && !die.leds.includes(led));
        return missing === undefined ? this.leds.set(change) : this.impossible(missing);
      }),
      TE.chainFirstIOK(() => this.options.changed),
    );
  }

  pulse(pulse: Pulse): TE.TaskEither<DeviceError, void> {
    return this.withDie((die) => {
      const { leds: led } = pulse;
      if (led !== 'both' && !die.leds.includes(led)) return this.impossible(led);
      return die.pulse?.(pulse) ?? this.impossible('pulse');
    });
  }

  setTaps(change: TapsChange): TE.TaskEither<DeviceError, Taps> {
    return pipe(
      this.withDie((die) => () => this.tapChanges.run(this.changeTaps(die, change))),
      TE.chainFirstIOK(() => this.options.changed),
    );
  }

  /** Requests the battery level, per cent. */
  get battery(): TE.TaskEither<DeviceError, number> {
    return this.withDie((die) => die.battery);
  }

  /** Waits until the die lies still, and calibrates it. Left `NotStill`: it did not lie still in time. */
  calibrate(signal: AbortSignal): TE.TaskEither<DeviceError, Calibration> {
    const { address, time, waits } = this.options;
    const late: DeviceError = { _tag: 'NotStill', address, ms: waits.calibrate };
    return this.withDie((die) => {
      if (typeof die.type === 'string') {
        return refused(`calibrate is not needed: ${this.driver.model} dice measure their faces themselves`);
      }
      return pipe(
        this.connection.until(() => this.calibrationOn(die), { time, ms: waits.calibrate, signal }),
        TE.mapLeft((unmet) => (unmet === 'aborted' ? ABORTED : late)),
        TE.chain(TE.fromEither),
        TE.map((calibration) => {
          this.change(calibrated(this.state, calibration));
          return calibration;
        }),
      );
    });
  }

  limitLoss(): void {
    this.connection.limitLoss();
    this.options.changed();
  }

  /** Ends the session; resolves when its link has ended. */
  end(): Promise<void> {
    return this.connection.end();
  }

  private emit(event: DiceEvent): void {
    this.options.emit({ sessionId: this.id, address: this.address }, event);
  }

  /** Changes the state without an event. */
  private change(state: DieState): void {
    this.state = state;
    this.options.changed();
  }

  private receive({ report, makesEvent }: Received): void {
    if (this.isOver) return;
    if (report._tag === 'Battery') this.hasLevel = true;
    const before = this.state;
    const [next, event] = applyReport(before, report);
    this.state = next;
    if (event !== null && (makesEvent || happenedDuringLoss(before, next))) this.emit(event);
    else this.options.changed();
    this.connection.lookAgain();
  }

  private away(): DeviceError {
    const { id, address } = this;
    return this.connection.phase._tag === 'Ended'
      ? { _tag: 'SessionNotFound', id }
      : { _tag: 'NotConnected', address, cause: 'reconnecting' };
  }

  /** Performs a request of a client. */
  private withDie<A>(use: (die: Die) => TE.TaskEither<DeviceError, A>): TE.TaskEither<DeviceError, A> {
    return async () => {
      const { address } = this;
      const { phase } = this.connection;
      if (phase._tag !== 'Connected') return E.left(this.away());
      if (this.requests >= MAX_REQUESTS) return E.left({ _tag: 'Busy', address });
      this.requests += 1;
      try {
        return await use(phase.device)();
      } finally {
        this.requests -= 1;
      }
    };
  }

  /** Asks a die for its battery level while it lies still: at once if it has not reported one, then every `BATTERY_MS`. */
  private followBattery(die: Die): void {
    const { askBattery, link } = die;
    const { time } = this.options;
    if (askBattery === null) return;
    const still = this.connection.until(() => this.isStill(die), { time, ms: null });
    const ask: TE.TaskEither<never, void> = async () => {
      const isStill = await still();
      if (E.isRight(isStill) && isStill.right) await askBattery();
      return E.right(undefined);
    };
    if (!this.hasLevel) detached(ask());
    repeatedOn(link, { time, everyMs: BATTERY_MS }, ask);
  }

  private initialCommands(): InitialCommands {
    return { askColour: this.state.colour === null, leds: this.leds.lit, taps: this.taps };
  }

  private changeTaps({ setTaps }: Die, change: TapsChange): TE.TaskEither<DeviceError, Taps> {
    if (setTaps === null) return this.impossible('taps');
    return pipe(
      TE.fromIO((): Taps => {
        const { single = this.taps?.single ?? false, double = this.taps?.double ?? false } = change;
        return { single, double };
      }),
      TE.chainFirst(setTaps),
      TE.map((taps) => (this.taps = taps)),
    );
  }

  /** Undefined while a die rolls, false once its link has ended. */
  private isStill(die: Die): boolean | undefined {
    if (!this.isLinkedTo(die)) return false;
    return this.state.rolling ? undefined : true;
  }

  private isLinkedTo(die: Die): boolean {
    const { phase } = this.connection;
    return phase._tag === 'Connected' && phase.device === die;
  }

  private calibrationOn(die: Die): E.Either<DeviceError, Calibration> | undefined {
    if (!this.isLinkedTo(die)) return E.left(die.link.ended ?? this.away());
    const calibration = calibrationOf(this.state);
    return calibration === null ? undefined : E.right(calibration);
  }

  private impossible(request: string): TE.TaskEither<DeviceError, never> {
    return refused(`${request} is not possible: no ${this.driver.model} die can do it`);
  }
}
