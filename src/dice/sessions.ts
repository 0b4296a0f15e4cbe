/** All sessions of a server, by id and by address: at most one link and one session for each die. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import { openAttempts } from '../ble/attempts.js';
import { openKeepers } from '../ble/keepers.js';
import type { Address, Advertisement, BleError, Radio } from '../ble/ports.js';
import { findDevice } from '../ble/search.js';
import { notConnected, radioError, searchError, type ServerError, shuttingDown } from '../http/index.js';
import type { Clock } from '../time.js';
import type { DiceLimits } from './config.js';
import type { ConnectRequest, DiceEvent } from './contract.js';
import { openDie, type Die, type Opening } from './die.js';
import { NUS_NOTIFY, NUS_SERVICE, NUS_WRITE, type DiceType } from './protocol/index.js';
import { sessionNotFound, startSession, type Session } from './session.js';
import { initialState } from './state.js';

/** Where an event comes from. */
export interface Origin {
  readonly sessionId: string;
  readonly address: Address;
}

export interface SessionsOptions {
  readonly radio: Radio;
  readonly limits: DiceLimits;
  readonly clock: Clock;
  readonly random: () => number;
  /** Unguessable and never the same again. */
  readonly newId: () => string;
  readonly log: Logger;
  readonly emit: (origin: Origin, event: DiceEvent) => void;
}

export interface Sessions {
  readonly all: readonly Session[];
  /** Left: `session_not_found`. */
  readonly find: (id: string) => E.Either<ServerError, Session>;
  /**
   * The session of a die: the one it has, or a new one. `signal` is the client's: when all clients that wait for a
   * die have gone, it is given up. Left leaves nothing behind.
   */
  readonly connect: (request: ConnectRequest, signal: AbortSignal) => TE.TaskEither<ServerError, Session>;
  /** Ends a session; resolves when its link has ended. Left: `session_not_found`. */
  readonly disconnect: (id: string) => TE.TaskEither<ServerError, void>;
  /**
   * Connects a die as soon as it can be, and never gives it up unless a client disconnects it. Once for each die; the
   * type named last is its type.
   */
  readonly keep: (request: ConnectRequest) => void;
  /** Ends all sessions and attempts; resolves when no link is left. */
  readonly close: Task<void>;
}

const profile = [{ service: NUS_SERVICE, characteristics: [NUS_WRITE, NUS_NOTIFY] }];

const DEFAULT_TYPE: DiceType = 'd6';

/** The session ended while a client waited for its die: he asked for a die, not for that session. */
const didNotComeBack =
  (address: Address) =>
  (error: ServerError): ServerError =>
    error._tag === 'NotConnected'
      ? notConnected('not_connected', `device ${address} is not connected: it did not come back`)
      : error;

export const openSessions = (options: SessionsOptions): Sessions => {
  const { radio, limits, clock, random, newId, log, emit } = options;
  const byId = new Map<string, Session>();
  const byAddress = new Map<Address, Session>();
  const attempts = openAttempts<ServerError, Session>(clock, (late) => late.end());
  const keepers = openKeepers({ radio, clock, random });
  /** Of kept dice, as long as no client names another. */
  const keptTypes = new Map<Address, DiceType>();

  const open = (address: Address, opening: Opening, signal: AbortSignal): TE.TaskEither<BleError, Die> =>
    pipe(
      radio.connect(address, profile, signal),
      TE.chain((link) => openDie(link, { ...opening, clock, log, answerMs: limits.answer, signal })),
    );

  const register = (die: Die, { name, rssi }: Advertisement, diceType: DiceType): Session => {
    const { address } = die.link;
    const id = newId();
    const session = startSession(die, {
      id,
      address,
      radio,
      clock,
      random,
      log,
      state: initialState(diceType, name, rssi),
      waits: limits,
      reconnectMs: keepers.isKept(address) ? null : limits.reconnect,
      reopen: (opening, signal) => open(address, opening, signal),
      emit: (event) => emit({ sessionId: id, address }, event),
      ended: () => {
        byId.delete(id);
        byAddress.delete(address);
        log.info({ address, session: id }, 'a session is over');
      },
    });
    byId.set(id, session);
    byAddress.set(address, session);
    log.info({ address, session: id, diceType }, 'a die is connected');
    return session;
  };

  const attempt =
    (address: Address, diceType: DiceType) =>
    (signal: AbortSignal): TE.TaskEither<ServerError, Session> =>
      pipe(
        findDevice(radio, address, { clock, ms: limits.scan, signal }),
        TE.mapLeft(searchError),
        TE.chain((advertisement) =>
          pipe(
            open(address, { askColour: true, restore: [] }, signal),
            TE.bimap(radioError, (die) => register(die, advertisement, diceType)),
          ),
        ),
      );

  const join = (
    address: Address,
    diceType: DiceType,
    signal: AbortSignal,
  ): TE.TaskEither<ServerError, Session> =>
    pipe(
      attempts.join(address, attempt(address, diceType), signal),
      TE.mapLeft((why) => (why === 'aborted' ? shuttingDown : why)),
    );

  const connect: Sessions['connect'] = ({ address, dice_type }, signal) =>
    pipe(
      TE.fromIO(() => byAddress.get(address)),
      TE.chain((session) =>
        session === undefined
          ? join(address, dice_type ?? keptTypes.get(address) ?? DEFAULT_TYPE, signal)
          : pipe(session.whenConnected(signal), TE.mapLeft(didNotComeBack(address))),
      ),
      TE.map((session) => {
        if (dice_type !== undefined) session.setDiceType(dice_type);
        return session;
      }),
    );

  const find = (id: string): E.Either<ServerError, Session> =>
    E.fromNullable(sessionNotFound(id))(byId.get(id));

  const end = (session: Session): Promise<void> => {
    const { address } = session.status;
    const over = session.end();
    keepers.stop(address);
    attempts.leave(address, over);
    return over;
  };

  return {
    get all() {
      return [...byId.values()];
    },
    find,
    connect,
    disconnect: (id) =>
      pipe(
        TE.fromIOEither(() => find(id)),
        TE.chainTaskK((session) => () => end(session)),
      ),
    keep: ({ address, dice_type }) => {
      if (dice_type !== undefined) keptTypes.set(address, dice_type);
      keepers.keep(address, (signal) =>
        pipe(
          connect({ address }, signal),
          TE.mapLeft((error) => {
            log.info({ address, error }, 'a kept die could not be connected');
            return error._tag === 'NotConnected' ? 'absent' : 'refused';
          }),
        ),
      );
    },
    close: async () => {
      keepers.close();
      for (const session of byId.values()) void end(session);
      await attempts.close();
    },
  };
};
