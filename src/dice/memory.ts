/** The dice and rolls that the server remembers, and the handlers of their rows. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { TimeSource } from '../async/time.js';
import type { Address, Advertisement, Radio, Unsubscribe } from '../ble/ports.js';
import { nullable, object, parseError, text } from '../codecs/index.js';
import type { DeviceError } from '../devices/device-error.js';
import { DeviceRecords, DEVICES_TABLE, type DeviceRecord } from '../devices/records.js';
import type { Handlers } from '../operations/index.js';
import type { DiceType } from '../protocols/dice-values.js';
import type { Store } from '../store/store.js';
import type { DiceEvent, DieRecord, RecordEndpoints } from './contract.js';
import { AnyDiceType, DiceType as DiceTypeCodec, DieColour, level } from './contract-values.js';
import { driverOf, isDie } from './drivers/index.js';
import { rollStream } from './roll-texts.js';
import { Rolls, ROLLS_TABLE } from './rolls.js';
import type { Session } from './session.js';
import type { Sessions } from './sessions.js';
import type * as t from 'io-ts';

export const MIGRATIONS = [`${DEVICES_TABLE}; ${ROLLS_TABLE}`];

const Details = object({
  maker: nullable(text),
  dice_type: nullable(AnyDiceType),
  color: nullable(DieColour),
  battery_level: nullable(level),
  /** The shell that a client set by `PATCH`; later sessions have it too. */
  shell: nullable(DiceTypeCodec),
});
type Details = t.TypeOf<typeof Details>;

const UNKNOWN: Details = { maker: null, dice_type: null, color: null, battery_level: null, shell: null };

const withoutNull = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<T>;

const DEFAULT_PAGE = 100;

const isoOf = (ms: number): string => new Date(ms).toISOString();

interface MemoryOptions {
  readonly radio: Radio;
  readonly store: Store;
  readonly time: TimeSource;
  readonly log: Logger;
  /** How long rolls are kept, days; null: for ever. */
  readonly historyDays: number | null;
}

export class DiceMemory {
  readonly records: DeviceRecords<Details>;
  readonly rolls: Rolls;
  private readonly unobserve: Unsubscribe;

  constructor(options: MemoryOptions) {
    this.records = new DeviceRecords({ ...options, details: Details, unknown: UNKNOWN });
    this.rolls = new Rolls({ ...options, days: options.historyDays });
    this.unobserve = options.radio.observe((advertisement) => this.hear(advertisement));
  }

  labelOf(address: Address): string | null {
    return this.records.of(address)?.label ?? null;
  }

  /** The shell of a die for which a client names no type. */
  shellOf(address: Address): DiceType | undefined {
    return this.records.of(address)?.details.shell ?? undefined;
  }

  /** Stores the state of a die with a session. */
  remember({ address, detailed }: Session): void {
    if (!this.records.isLoaded) return;
    const { name, maker, dice_type, color, battery_level } = detailed;
    const details = withoutNull({ maker, dice_type, color, battery_level });
    this.records.store(address, { ...withoutNull({ name }), details });
  }

  /** The dice to connect at start, and whenever they are heard. */
  get keptConnected(): readonly DeviceRecord<Details>[] {
    return this.records.all.filter(({ keepConnected }) => keepConnected);
  }

  /** Keeps the result or the battery level in an event. */
  keep(session: Session, event: DiceEvent): void {
    if (event.kind === 'BatteryLevel') this.remember(session);
    if (!('face' in event)) return;
    const { address, session_id, dice_type } = session.status;
    this.rolls.add({ address, dice_type, face: event.face, ended: event.kind, session_id });
  }

  close(): void {
    this.unobserve();
    this.rolls.close();
  }

  private hear(advertisement: Advertisement): void {
    const { address, name } = advertisement;
    if (this.records.of(address) === undefined && !isDie(advertisement)) return;
    const { model: maker, advertised } = driverOf(advertisement);
    const { dice_type, color, battery_level } = advertised(advertisement);
    const details = withoutNull({ maker, dice_type, color, battery_level });
    this.records.seen(address, { ...withoutNull({ name }), details });
  }
}

const recordOf = (
  { address, label, name, keepConnected, firstSeen, lastSeen, details }: DeviceRecord<Details>,
  session: Session | undefined,
  rolls: number,
): DieRecord => {
  const { maker, dice_type, color, battery_level, shell } = details;
  const status = session?.status;
  return {
    ...{ address, label, name, maker, color, battery_level, rolls },
    dice_type: status?.dice_type ?? shell ?? dice_type,
    keep_connected: keepConnected,
    first_seen: isoOf(firstSeen),
    last_seen: isoOf(lastSeen),
    connected: status?.connected === true,
    session_id: status?.session_id ?? null,
  };
};

/** The handlers of the rows about dice and rolls that the server remembers. */
export const memoryHandlers = (
  { records, rolls }: DiceMemory,
  sessions: Sessions,
  /** Called when the label of a die has changed. */
  changed: (address: Address) => void,
): Handlers<RecordEndpoints, DeviceError> => {
  const answerOf = (record: DeviceRecord<Details>): DieRecord =>
    recordOf(record, sessions.of(record.address), rolls.of(record.address));

  const recordFor = (address: Address): TE.TaskEither<DeviceError, DeviceRecord<Details>> =>
    pipe(
      TE.fromTask(() => records.loaded),
      TE.chainEitherK(() => E.fromNullable<DeviceError>({ _tag: 'Unheard', address })(records.of(address))),
    );

  const setShell = (address: Address, shell: DiceType | undefined): E.Either<DeviceError, unknown> =>
    shell === undefined
      ? E.right(undefined)
      : (sessions.of(address)?.setDiceType(shell) ?? E.right(undefined));

  return {
    dice: () =>
      pipe(
        TE.fromTask(() => records.loaded),
        TE.map(() => records.all.map(answerOf)),
      ),
    setDie: ({ params: { address }, body: { label, dice_type, keep_connected } }) =>
      pipe(
        recordFor(address),
        TE.chainFirstEitherK(() => setShell(address, dice_type)),
        TE.map(() => {
          const record = records.store(address, {
            ...(label !== undefined && { label }),
            ...(keep_connected !== undefined && { keepConnected: keep_connected }),
            ...(dice_type !== undefined && { details: { dice_type, shell: dice_type } }),
          });
          if (keep_connected !== undefined) sessions.keepConnected({ address }, keep_connected);
          if (label !== undefined) changed(address);
          return answerOf(record);
        }),
      ),
    forgetDie: ({ params: { address } }) =>
      pipe(
        recordFor(address),
        TE.chainW(() => rolls.forget({ address })),
        TE.map(() => {
          records.forget(address);
          sessions.keepConnected({ address }, false);
          changed(address);
          return { address, forgotten: true as const };
        }),
      ),
    rolls: ({ query: { limit, ...filter } }, { accepted }) =>
      accepted === undefined
        ? rolls.page({ ...filter, limit: limit ?? DEFAULT_PAGE })
        : TE.right(rollStream(accepted, rolls.all({ ...filter, ...(limit !== undefined && { limit }) }))),
    forgetRolls: ({ query }) =>
      Object.values(query).every((value) => value === undefined)
        ? TE.left(parseError('address, from and to are missing: at least one of them must be given'))
        : pipe(
            rolls.forget(query),
            TE.map((deleted) => ({ deleted })),
          ),
    statistics: ({ params: { address }, query }) =>
      pipe(
        recordFor(address),
        TE.chain((record) => {
          const dice_type = query.dice_type ?? answerOf(record).dice_type ?? 'd6';
          return rolls.statistics({ ...query, address, dice_type });
        }),
      ),
  };
};
