/** All sessions of a server, by id and by address: at most one link and one session for each die. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Address, Advertisement } from '../ble/ports.js';
import { retry } from '../devices/retry.js';
import { findDevice } from '../devices/search.js';
import { openSessionRegistry, type SessionRegistryOptions } from '../devices/session-registry.js';
import type { DiceLimits } from './config.js';
import type { ConnectRequest, DiceEvent, Handover } from './contract.js';
import type { Die, DieDriver, InitialCommands } from './port/driver.js';
import { driverOf, isOtherDevice } from './drivers/index.js';
import { startSession, type Origin, type Session, type TakenOver } from './session.js';
import { diceTypeOf, initialState, noOffset } from './state.js';
import type { DiceType } from './port/values.js';

export interface SessionsOptions extends SessionRegistryOptions {
  readonly limits: DiceLimits;
  /** Unguessable and never the same again. */
  readonly newId: () => string;
  readonly emit: (origin: Origin, event: DiceEvent) => void;
  /** Called whenever a session has begun or ended, or has changed without an event. */
  readonly changed: (address: Address) => void;
  /** Called when a client has ended a session. */
  readonly dismissed: (address: Address) => void;
}

/** Of a die that no server of the fleet has just lost. */
const UNSET = { shell: null, leds: null, taps: null };

/** Ends the link of a die that knows that it is of another type than its client asked for. */
const ofType = (die: Die, given: DiceType | undefined): TE.TaskEither<DeviceError, Die> => {
  const { type: own, link } = die;
  if (given === undefined || typeof own !== 'string' || own === given) return TE.right(die);
  return pipe(
    TE.fromTask(() => link.disconnect()),
    TE.chain(() => TE.left<DeviceError>({ _tag: 'WrongDiceType', given, own })),
  );
};

const DEFAULT_TYPE: DiceType = 'd6';

/** Dice that are sought at once because another server has handed them over. */
const MOST_TAKEN_OVER = 64;

export const openSessions = (options: SessionsOptions) => {
  const { radio, limits, time, random, newId, log, emit, changed, dismissed } = options;
  /** Of dice that are connected automatically, as long as no client names another. */
  const knownTypes = new Map<Address, DiceType>();
  /** Dice that another server has handed over, until they are connected. */
  const takenOver = new Map<Address, { readonly controller: AbortController; readonly known: TakenOver }>();
  let isClosed = false;

  const open = (
    driver: DieDriver,
    found: Advertisement,
    commands: InitialCommands,
    signal: AbortSignal,
  ): TE.TaskEither<DeviceError, Die> =>
    pipe(
      radio.connect(found.address, driver.profile(found), signal),
      TE.chain((link) => driver.open(link, { ...commands, time, log, answerMs: limits.answer, signal })),
    );

  /** The newest advertisement of a die: other firmware may have another profile. */
  const newest = (driver: DieDriver, found: Advertisement): Advertisement => {
    const last = radio.lastAdvertisement(found.address);
    return last !== undefined && driver.isDie(last) ? last : found;
  };

  const registry = openSessionRegistry<ConnectRequest, Advertisement, Die, Session>(options, {
    reconnectMs: limits.reconnect,
    search: ({ address }, signal) =>
      pipe(
        findDevice(radio, address, { time, ms: limits.scan, signal }),
        TE.filterOrElse(
          (found) => !isOtherDevice(found),
          ({ name }): DeviceError => ({ _tag: 'OtherDevice', address, name: name ?? '', expected: 'die' }),
        ),
      ),
    open: ({ address, dice_type }, found, signal) => {
      const { leds, taps } = takenOver.get(address)?.known ?? UNSET;
      return pipe(
        open(driverOf(found), found, { askColour: true, leds, taps }, signal),
        TE.chain((die) => ofType(die, dice_type)),
      );
    },
    start: ({ address, dice_type }, found, die, basis) => {
      const id = newId();
      const known = takenOver.get(address)?.known;
      const diceType = dice_type ?? knownTypes.get(address) ?? DEFAULT_TYPE;
      const shell = known?.shell ?? { diceType, offset: noOffset };
      const driver = driverOf(found);
      const state = initialState(driver, die, shell, found);
      log.info({ address, session: id, diceType: diceTypeOf(state) }, 'a die is connected');
      return startSession(die, {
        ...basis,
        id,
        state,
        takenOver: known,
        waits: limits,
        reconnect: (commands, signal) => open(driver, newest(driver, found), commands, signal),
        emit,
        changed: () => changed(address),
      });
    },
  });

  /** The error of a client that asked for another type is none of the others that wait for the die. */
  const connect = (request: ConnectRequest, signal: AbortSignal): TE.TaskEither<DeviceError, Session> =>
    pipe(
      registry.connect(request, signal),
      TE.orElse((error) =>
        error._tag === 'WrongDiceType' && error.given !== request.dice_type
          ? connect(request, signal)
          : TE.left(error),
      ),
      TE.chainFirstEitherK((session) =>
        request.dice_type === undefined ? E.right(undefined) : session.setDiceType(request.dice_type),
      ),
    );

  const find = (id: string): E.Either<DeviceError, Session> =>
    E.fromNullable<DeviceError>({ _tag: 'SessionNotFound', id })(
      registry.all.find((session) => session.id === id),
    );

  const unobserve = radio.observe(({ address, name }) => {
    if (name !== null) registry.of(address)?.rename(name);
  });

  return {
    get all(): readonly Session[] {
      return registry.all;
    },
    of: registry.of,
    /** Left `SessionNotFound`. */
    find,
    /**
     * The session of a die: the one it has, or a new one. `signal` is the client's: when all clients that wait for a
     * die have gone, the attempt is aborted. Left leaves nothing behind.
     */
    connect,
    /** Ends a session; resolves when its link has ended. Left `SessionNotFound`. */
    disconnect: (id: string): TE.TaskEither<DeviceError, void> =>
      pipe(
        TE.fromIOEither(() => find(id)),
        TE.chainTaskK(({ status: { address } }) => async () => {
          await registry.disconnect(address);
          dismissed(address);
        }),
      ),
    /**
     * Connects a die as soon as it can be, and never gives it up unless a client disconnects it. Once for each die; the
     * type named last is its type.
     */
    autoConnect: ({ address, dice_type }: ConnectRequest) => {
      if (dice_type !== undefined) knownTypes.set(address, dice_type);
      registry.autoConnect({ address });
    },
    /** Ends the session of a die, for another server; what that one gets. Undefined: it has none. */
    handOver: async (address: Address): Promise<Handover | undefined> => {
      const session = registry.of(address);
      if (session === undefined) return undefined;
      const { settings, motion } = session;
      const { shell, leds, taps } = settings;
      const { diceType: dice_type, offset } = shell ?? { diceType: null, offset: noOffset };
      const handover = { address, dice_type, offset, leds, taps, motion };
      await registry.handOver(address);
      return handover;
    },
    /** Connects a die that another server has lost, if it comes back in time. */
    takeOver: ({ address, dice_type: diceType, offset, ...rest }: Handover) => {
      const known = { ...rest, shell: diceType === null ? null : { diceType, offset } };
      if (isClosed || registry.of(address) !== undefined || takenOver.has(address)) return;
      if (takenOver.size >= MOST_TAKEN_OVER) return;
      const controller = new AbortController();
      const { signal } = controller;
      takenOver.set(address, { controller, known });
      const cancel = time.after(limits.reconnect, () => controller.abort());
      const connecting = connect({ address }, signal);
      detached(
        retry(connecting, { radio, time, random, log, address, signal })().then(() => {
          cancel();
          takenOver.delete(address);
        }),
      );
    },
    /** Ends all sessions and attempts; resolves when no link is left. */
    close: async () => {
      isClosed = true;
      for (const { controller } of takenOver.values()) controller.abort();
      unobserve();
      await registry.close();
    },
  };
};

export type Sessions = ReturnType<typeof openSessions>;
