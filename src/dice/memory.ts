/** The dice and rolls that the server remembers. */
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type * as t from 'io-ts';
import type { Logger } from 'pino';
import type { Address, Advertisement, Radio, Unsubscribe } from '../ble/ports.js';
import { nullable, object, text } from '../codecs/index.js';
import type { DeviceError } from '../devices/device-error.js';
import { DeviceRecords, DEVICES_TABLE, DEVICES_IN_ORDER, withoutNull } from '../devices/records.js';
import type { DiceType } from '../protocols/dice-values.js';
import { indexOfTimes, misdatedColumn, type HistoryOptions } from '../store/history.js';
import { SystemClock, type ClockFacts } from '../store/system-clock.js';
import type { DiceEvent } from './contract.js';
import { AnyDiceType, DiceType as DiceTypeCodec, DieColour, level } from './contract-values.js';
import { driverOf, isDie } from './drivers/index.js';
import { Rolls, ROLLS_TABLE } from './rolls.js';
import type { Session } from './session.js';

export const MIGRATIONS = [
  `${DEVICES_TABLE}; ${ROLLS_TABLE}`,
  indexOfTimes('rolls'),
  `${misdatedColumn('rolls')}; ${DEVICES_IN_ORDER}`,
];

const Details = object({
  maker: nullable(text),
  dice_type: nullable(AnyDiceType),
  color: nullable(DieColour),
  battery_level: nullable(level),
  /** The shell that a client set by `PATCH`; later sessions have it too. */
  shell: nullable(DiceTypeCodec),
});
export type DieDetails = t.TypeOf<typeof Details>;

const UNKNOWN: DieDetails = { maker: null, dice_type: null, color: null, battery_level: null, shell: null };

interface MemoryOptions extends Omit<HistoryOptions, 'systemClock'> {
  readonly radio: Radio;
  readonly sessionOf: (address: Address) => Session | undefined;
  readonly log: Logger;
  readonly clockFacts: ClockFacts;
  /** The name of this server in its fleet. */
  readonly server: string;
}

export class DiceMemory {
  readonly records: DeviceRecords<DieDetails>;
  readonly rolls: Rolls;
  private readonly systemClock: SystemClock;
  private readonly unobserve: Unsubscribe;

  constructor(private readonly options: MemoryOptions) {
    this.systemClock = new SystemClock(options);
    this.records = new DeviceRecords({ ...options, details: Details, unknown: UNKNOWN });
    this.rolls = new Rolls({ ...options, systemClock: this.systemClock });
    this.unobserve = options.radio.observe((advertisement) => this.hear(advertisement));
  }

  labelOf(address: Address): string | null {
    return this.records.labels.of(address);
  }

  /** The shell of a die for which a client names no type. */
  shellOf(address: Address): DiceType | undefined {
    return this.records.of(address)?.details.shell ?? undefined;
  }

  /** Stores the state of a die, if it has a session. */
  remember(address: Address): void {
    const session = this.options.sessionOf(address);
    if (session === undefined || !this.records.isLoaded) return;
    const { name, maker, dice_type, color, battery_level } = session.detailed;
    const details = withoutNull({ maker, dice_type, color, battery_level });
    this.records.store(address, { ...withoutNull({ name }), details });
  }

  /** Keeps the result or the battery level in an event; `time`: of the event, ms of the Unix epoch. */
  keep(session: Session, event: DiceEvent, time: number): void {
    const { address, id: session_id, diceType: dice_type } = session;
    if (event.kind === 'BatteryLevel') this.remember(address);
    if (!('face' in event)) return;
    // A connected die does not advertise.
    this.records.seen(address);
    this.rolls.add({ time, address, dice_type, face: event.face, ended: event.kind, session_id });
  }

  /** Left: the stored rows can be neither read nor deleted now. */
  get isUsable(): TE.TaskEither<DeviceError, unknown> {
    return this.options.store.read(['SELECT 1']);
  }

  /** Deletes the record and the rolls of a die; a die with a session gets a new record. */
  forget(address: Address): TE.TaskEither<DeviceError, void> {
    return pipe(
      this.rolls.forget({ address }, ...this.records.deletionOf(address)),
      TE.map(() => {
        this.records.forget(address);
        this.remember(address);
      }),
    );
  }

  close(): void {
    this.unobserve();
    this.rolls.close();
    this.systemClock.close();
  }

  private hear(advertisement: Advertisement): void {
    const { address, name } = advertisement;
    const named = withoutNull({ name });
    if (!isDie(advertisement)) {
      // A die also sends packets that do not tell its maker.
      if (this.records.of(address) !== undefined) this.records.seen(address, named);
      return;
    }
    const { model: maker, advertised } = driverOf(advertisement);
    const { dice_type, color, battery_level } = advertised(advertisement);
    const details = withoutNull({ maker, dice_type, color, battery_level });
    // A die with a type of its own has no shell.
    const shell = dice_type === null ? {} : { shell: null };
    this.records.seen(address, { ...named, details: { ...details, ...shell } });
  }
}
