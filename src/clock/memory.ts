/** The clocks and readings that the server remembers. Tokens have a store of their own. */
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type * as t from 'io-ts';
import type { Logger } from 'pino';
import type { Address, Advertisement, Radio, Unsubscribe } from '../ble/ports.js';
import { nullable, object, text } from '../codecs/index.js';
import type { DeviceError } from '../devices/device-error.js';
import { DeviceRecords, DEVICES_TABLE, DEVICES_IN_ORDER } from '../devices/records.js';
import type { Reading } from '../protocols/cgd1/index.js';
import { indexOfTimes, misdatedColumn, type HistoryOptions } from '../store/history.js';
import { SystemClock, type ClockFacts } from '../store/system-clock.js';
import { Readings, READINGS_TABLE } from './readings.js';
import type { Sightings } from './sightings.js';

export const MIGRATIONS = [
  `${DEVICES_TABLE}; ${READINGS_TABLE}`,
  indexOfTimes('readings'),
  `${misdatedColumn('readings')}; ${DEVICES_IN_ORDER}`,
];

const Details = object({
  /** The IANA name of the time zone that the offset of the clock follows. */
  timezone: nullable(text),
});
export type ClockDetails = t.TypeOf<typeof Details>;

const UNKNOWN: ClockDetails = { timezone: null };

interface MemoryOptions extends Omit<HistoryOptions, 'systemClock'> {
  readonly radio: Radio;
  readonly hasSession: (address: Address) => boolean;
  readonly sightings: Sightings;
  readonly log: Logger;
  readonly clockFacts: ClockFacts;
  /** The name of this server in its fleet. */
  readonly server: string;
}

export class ClockMemory {
  readonly records: DeviceRecords<ClockDetails>;
  readonly readings: Readings;
  private readonly systemClock: SystemClock;
  private readonly unobserve: Unsubscribe;

  constructor(private readonly options: MemoryOptions) {
    this.systemClock = new SystemClock(options);
    this.records = new DeviceRecords({ ...options, details: Details, unknown: UNKNOWN });
    this.readings = new Readings({ ...options, systemClock: this.systemClock });
    this.unobserve = options.radio.observe((advertisement) => this.hear(advertisement));
  }

  labelOf(address: Address): string | null {
    return this.records.labels.of(address);
  }

  /** The time zone that the offset of a clock follows; null: none. */
  zoneOf(address: Address): string | null {
    return this.records.of(address)?.details.timezone ?? null;
  }

  /** Stores the time zone of a clock; call it after `loaded` of the records. */
  setZone(address: Address, timezone: string | null): void {
    this.records.store(address, { details: { timezone } });
  }

  /** The clocks whose advertised readings are kept. */
  get recorded(): Iterable<Address> {
    return this.options.store.state.state === 'off' ? [] : this.records.storedAddresses;
  }

  /** Stores a clock, if it has a session. */
  remember(address: Address): void {
    if (this.options.hasSession(address)) this.store(address);
  }

  /** Keeps a reading that a link brought; the first comes before the clock has a session. */
  read(address: Address, reading: Reading): void {
    this.store(address);
    // A connected clock may not advertise.
    this.records.seen(address);
    this.keep(address, reading);
  }

  /** Left: the stored rows can be neither read nor deleted now. */
  get isUsable(): TE.TaskEither<DeviceError, unknown> {
    return this.options.store.read(['SELECT 1']);
  }

  /** Deletes the record and the readings of a clock; a clock with a session gets a new record. */
  forget(address: Address): TE.TaskEither<DeviceError, void> {
    return pipe(
      this.readings.forget(address, ...this.records.deletionOf(address)),
      TE.map(() => {
        this.records.forget(address);
        this.remember(address);
      }),
    );
  }

  close(): void {
    this.unobserve();
    this.readings.close();
    this.systemClock.close();
  }

  private store(address: Address): void {
    if (!this.records.isLoaded) return;
    const name = this.options.sightings.of(address)?.name ?? '';
    this.records.store(address, name === '' ? {} : { name });
  }

  private keep(address: Address, reading: Reading): void {
    this.readings.add(address, reading, this.options.sightings.battery(address)?.level ?? null);
  }

  /** Takes an advertisement of any device. */
  private hear(advertisement: Advertisement): void {
    const sighting = this.options.sightings.record(advertisement);
    if (sighting === undefined) return;
    const { address, name, lastReading } = sighting;
    this.records.seen(address, name === '' ? {} : { name });
    if (lastReading !== null && this.records.isStored(address)) this.keep(address, lastReading);
  }
}
