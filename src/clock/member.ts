/** The clocks of this server for the fleet: their last readings, and the reads that keep the readings current. */
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../async/defects.js';
import type { Address } from '../ble/ports.js';
import type { Fleet, MemberDevice } from '../mqtt/index.js';
import type { Cancel, TimeSource } from '../async/time.js';
import { commands, POLLED_FIELDS, State, type ClockEvent, type PolledField } from './contract.js';
import { clockInHomeAssistant } from './home-assistant.js';
import { alarmPassed, nextAlarm } from './next-alarm.js';
import type { ClockMemory } from './memory.js';
import type { Reads } from './reads.js';
import type { Sessions } from './sessions.js';
import type { Sightings } from './sightings.js';

interface Readings extends Pick<State, 'temperature' | 'humidity' | PolledField> {
  readonly isLinked: boolean;
}

/** The cache of one clock, as long as it has a session. */
interface Entry {
  readings: Readings;
  isReading: boolean;
  readonly pendingReads: Set<PolledField>;
  /** Fields for which the clock had no answer, which ended its link: they are not read again. */
  readonly unanswered: Set<PolledField>;
  /** Cancels the read after the next alarm. */
  cancelRead: Cancel;
  /** Aborted when the session has ended. */
  readonly over: AbortController;
}

interface ClockMemberOptions {
  readonly fleet: Pick<Fleet, 'state' | 'changed'>;
  readonly sessions: Pick<Sessions, 'addresses' | 'has' | 'isConnected' | 'check'>;
  readonly sightings: Pick<Sightings, 'of' | 'battery'>;
  readonly memory: Pick<ClockMemory, 'labelOf'>;
  readonly reads: Pick<Reads, PolledField>;
  readonly time: TimeSource;
}

export class ClockMember {
  private readonly entries = new Map<Address, Entry>();

  constructor(private readonly options: ClockMemberOptions) {}

  readonly devices = (): readonly MemberDevice[] =>
    this.options.sessions.addresses.map((address) => this.deviceOf(address));

  readonly device = (address: Address): MemberDevice | undefined =>
    this.options.sessions.has(address) ? this.deviceOf(address) : undefined;

  updateCache(address: Address, readings: Partial<Readings>): void {
    const entry = this.entries.get(address);
    if (entry === undefined) return;
    entry.readings = { ...entry.readings, ...readings };
    this.options.fleet.changed(address);
    this.awaitAlarm(address, entry);
  }

  happened(address: Address, { event, data }: ClockEvent): void {
    if (event === 'sensor_update' || event === 'advertisement') {
      this.updateCache(address, { temperature: data.temperature, humidity: data.humidity });
    } else if (event === 'battery_level') {
      this.updateCache(address, {});
    } else if (event === 'ack' && data.status === 'success') {
      this.read(address, commands[data.command].changes);
    }
  }

  /** Must be called whenever a session or a link has begun or ended. */
  changed(address: Address): void {
    const { fleet, sessions } = this.options;
    // A server without a fleet has no use for the reads.
    if (fleet.state === 'off') return;
    if (!sessions.has(address)) this.forget(address);
    else if (!this.entries.has(address)) this.entries.set(address, this.newEntry(address));
    const wasLinked = this.entries.get(address)?.readings.isLinked;
    const isLinked = sessions.isConnected(address);
    this.updateCache(address, { isLinked });
    if (isLinked && wasLinked === false) this.read(address, POLLED_FIELDS);
    fleet.changed(address);
  }

  close(): void {
    for (const address of [...this.entries.keys()]) this.forget(address);
  }

  private newEntry(address: Address): Entry {
    const advertised = this.options.sightings.of(address)?.reading;
    return {
      readings: {
        temperature: advertised?.temperature ?? null,
        humidity: advertised?.humidity ?? null,
        settings: null,
        alarms: null,
        firmware: null,
        isLinked: false,
      },
      isReading: false,
      pendingReads: new Set(),
      unanswered: new Set(),
      cancelRead: () => undefined,
      over: new AbortController(),
    };
  }

  private forget(address: Address): void {
    const entry = this.entries.get(address);
    entry?.cancelRead();
    entry?.over.abort();
    this.entries.delete(address);
  }

  private awaitAlarm(address: Address, entry: Entry): void {
    const { time } = this.options;
    entry.cancelRead();
    const { alarms, settings } = entry.readings;
    const now = time.date();
    const passed = alarms === null || settings === null ? null : alarmPassed(alarms, settings, now);
    if (passed === null) return;
    entry.cancelRead = time.after(passed.getTime() - now.getTime(), () => {
      this.updateCache(address, {});
      this.read(address, ['alarms']);
    });
  }

  private read(address: Address, fields: readonly PolledField[]): void {
    const entry = this.entries.get(address);
    if (entry === undefined) return;
    for (const field of fields) if (!entry.unanswered.has(field)) entry.pendingReads.add(field);
    detached(this.readPending(address, entry));
  }

  /** Reads one field after another, so that commands of clients have their turn between two reads. */
  private async readPending(address: Address, entry: Entry): Promise<void> {
    const { sessions, reads } = this.options;
    const { signal } = entry.over;
    if (entry.isReading) return;
    entry.isReading = true;
    try {
      for (const field of entry.pendingReads) {
        if (signal.aborted || !sessions.isConnected(address)) break;
        entry.pendingReads.delete(field);
        const read = await reads[field](address, signal)();
        if (E.isLeft(read) && read.left._tag === 'NoAnswer') entry.unanswered.add(field);
      }
    } finally {
      entry.isReading = false;
    }
  }

  private stateOf(address: Address): State {
    const { sightings, memory, time } = this.options;
    const { name = '', rssi = null } = sightings.of(address) ?? {};
    const { isLinked, ...readings } = (this.entries.get(address) ?? this.newEntry(address)).readings;
    const { settings, alarms } = readings;
    const next = settings === null || alarms === null ? null : nextAlarm(alarms, settings, time.date());
    return {
      label: memory.labelOf(address),
      ...{ address, name, rssi, connected: isLinked, battery: sightings.battery(address)?.level ?? null },
      ...{ ...readings, next_alarm: next?.toISOString() ?? null },
    };
  }

  private deviceOf(address: Address): MemberDevice {
    const { sessions, sightings, memory } = this.options;
    const { firmware = null, alarms = null, settings = null } = this.entries.get(address)?.readings ?? {};
    return {
      address,
      isAvailable: E.isRight(sessions.check(address)),
      isLinked: sessions.isConnected(address),
      state: () => State.encode(this.stateOf(address)),
      identity: { address },
      homeAssistant: {
        dependencies: [
          ...[memory.labelOf(address), sightings.of(address)?.name, firmware],
          ...[settings?.timezone, alarms?.map(({ slot }) => slot).join()],
        ],
        describe: (topics) => clockInHomeAssistant(this.stateOf(address))(topics),
      },
    };
  }
}
