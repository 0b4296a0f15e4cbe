/** The sessions of a server, by id and by address: at most one link and one session for each die. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Address, Advertisement, Unsubscribe } from '../ble/ports.js';
import { findDevice } from '../devices/search.js';
import {
  SessionRegistry,
  type SessionBasis,
  type SessionRegistryOptions,
} from '../devices/session-registry.js';
import type { DiceLimits } from './config.js';
import type { ConnectRequest, DiceEvent } from './contract.js';
import type { DiceMemory } from './memory.js';
import type { Die, DieDriver, InitialCommands } from './port/driver.js';
import { driverOf, isOtherDevice } from './drivers/index.js';
import { Session, type Origin } from './session.js';
import { diceTypeOf, initialState, noOffset } from './state.js';
import type { DiceType } from '../protocols/dice-values.js';

export interface SessionsOptions extends SessionRegistryOptions {
  readonly limits: DiceLimits;
  /** Makes a new id, unique and unguessable. */
  readonly newId: () => string;
  readonly emit: (origin: Origin, event: DiceEvent) => void;
  /** Called whenever a session has begun or ended, or has changed without an event. */
  readonly changed: (address: Address) => void;
  readonly memory: Pick<DiceMemory, 'labelOf' | 'shellOf'>;
  /** Called before a client ends a session. */
  readonly dismissed: (address: Address) => void;
}

/** Ends the link of a die that reports another type than its client requested. */
const ofType = (die: Die, requested: DiceType | undefined): TE.TaskEither<DeviceError, Die> => {
  const { type: actual, link } = die;
  if (requested === undefined || typeof actual !== 'string' || actual === requested) return TE.right(die);
  return pipe(
    TE.fromTask(() => link.disconnect()),
    TE.chain(() => TE.left<DeviceError>({ _tag: 'WrongDiceType', requested, actual })),
  );
};

const DEFAULT_TYPE: DiceType = 'd6';

export class Sessions extends SessionRegistry<ConnectRequest, Advertisement, Die, Session> {
  /** The types of dice that are connected automatically, unless a client names another type. */
  private readonly automaticTypes = new Map<Address, DiceType>();
  private readonly unobserve: Unsubscribe;

  constructor(private readonly options: SessionsOptions) {
    super(options, options.limits.reconnect);
    this.unobserve = options.radio.observe(({ address, name }) => {
      if (name !== null) this.of(address)?.rename(name);
    });
  }

  /** The session with an id. Left `SessionNotFound`. */
  find(id: string): E.Either<DeviceError, Session> {
    const session = this.all.find((candidate) => candidate.id === id);
    return E.fromNullable<DeviceError>({ _tag: 'SessionNotFound', id })(session);
  }

  /** Joins the session of a die; if another client's request for the wrong type has ended the attempt, there is a new attempt. */
  connect(request: ConnectRequest, signal: AbortSignal): TE.TaskEither<DeviceError, Session> {
    const { dice_type } = request;
    return pipe(
      this.joinForClient(request, signal),
      TE.orElse((error) =>
        error._tag === 'WrongDiceType' && error.requested !== dice_type
          ? this.connect(request, signal)
          : TE.left(error),
      ),
      TE.chainFirstEitherK((session) =>
        dice_type === undefined ? E.right(undefined) : session.setDiceType(dice_type),
      ),
    );
  }

  /** Ends a session; resolves when its link has ended. Left `SessionNotFound`. */
  disconnect(id: string): TE.TaskEither<DeviceError, void> {
    return pipe(
      TE.fromIOEither(() => this.find(id)),
      TE.chainTaskK(({ address }) => async () => {
        this.options.dismissed(address);
        await this.drop(address);
      }),
    );
  }

  /**
   * Connects a die as soon as possible, and never gives it up unless a client disconnects it. The second time only sets
   * another type.
   */
  override autoConnect({ address, dice_type }: ConnectRequest): void {
    if (dice_type !== undefined) this.automaticTypes.set(address, dice_type);
    super.autoConnect({ address });
  }

  /** Sets the shell of a die if it has a session. Left `WrongDiceType`: the die reports or advertises another type. */
  setShell(address: Address, requested: DiceType): E.Either<DeviceError, void> {
    const session = this.of(address);
    if (session !== undefined) return session.setDiceType(requested);
    const last = this.options.radio.lastAdvertisement(address);
    const actual = last === undefined ? null : driverOf(last).advertised(last).dice_type;
    return actual === null || actual === requested
      ? E.right(undefined)
      : E.left({ _tag: 'WrongDiceType', requested, actual });
  }

  /** Ends all sessions and attempts; resolves when no link is left. */
  override async close(): Promise<void> {
    this.unobserve();
    await super.close();
  }

  protected search(
    { address }: ConnectRequest,
    signal: AbortSignal,
  ): TE.TaskEither<DeviceError, Advertisement> {
    const { radio, time, limits } = this.options;
    return pipe(
      findDevice(radio, address, { time, ms: limits.scan, signal }),
      TE.filterOrElse(
        (advertisement) => !isOtherDevice(advertisement),
        ({ name }): DeviceError => ({ _tag: 'OtherDevice', address, name: name ?? '', expected: 'die' }),
      ),
    );
  }

  protected open(
    { dice_type }: ConnectRequest,
    advertisement: Advertisement,
    signal: AbortSignal,
  ): TE.TaskEither<DeviceError, Die> {
    const commands = { askColour: true, leds: null, taps: null };
    return pipe(
      this.openDie(driverOf(advertisement), advertisement, commands, signal),
      TE.chain((die) => ofType(die, dice_type)),
    );
  }

  protected begin(
    { address, dice_type }: ConnectRequest,
    advertisement: Advertisement,
    die: Die,
    basis: SessionBasis,
  ): Session {
    const { newId, log, limits, emit, changed, memory } = this.options;
    const id = newId();
    const diceType = dice_type ?? this.automaticTypes.get(address) ?? memory.shellOf(address) ?? DEFAULT_TYPE;
    const driver = driverOf(advertisement);
    const state = initialState(driver, die, { diceType, offset: noOffset }, advertisement);
    log.info({ address, session: id, diceType: diceTypeOf(state) }, 'a die is connected');
    return new Session(die, {
      ...{ ...basis, id, state, emit },
      label: () => memory.labelOf(address),
      waits: limits,
      reconnect: (commands, signal) =>
        this.openDie(driver, this.newest(driver, advertisement), commands, signal),
      changed: () => changed(address),
    });
  }

  private openDie(
    driver: DieDriver,
    advertisement: Advertisement,
    commands: InitialCommands,
    signal: AbortSignal,
  ): TE.TaskEither<DeviceError, Die> {
    const { radio, time, log, limits } = this.options;
    return pipe(
      radio.connect(advertisement.address, driver.profile(advertisement), signal),
      TE.chain((link) => driver.open(link, { ...commands, time, log, answerMs: limits.answer, signal })),
    );
  }

  /** The newest advertisement of a die: its profile changes if its firmware is updated. */
  private newest(driver: DieDriver, advertisement: Advertisement): Advertisement {
    const last = this.options.radio.lastAdvertisement(advertisement.address);
    return last !== undefined && driver.isDie(last) ? last : advertisement;
  }
}
