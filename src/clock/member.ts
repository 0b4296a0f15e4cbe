/** The clocks of this server as the fleet sees them: their last readings, for clients or for the fleet, and the reads that keep these current. */
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../async/defects.js';
import type { Address } from '../ble/ports.js';
import type { Fleet, MemberDevice } from '../mqtt/index.js';
import type { Cancel, TimeSource } from '../async/time.js';
import { commands, POLLED_FIELDS, State, type ClockEvent, type PolledField } from './contract.js';
import { clockInHomeAssistant } from './home-assistant.js';
import { alarmPassed, nextAlarm } from './next-alarm.js';
import type { Reads } from './reads.js';
import type { Sessions } from './sessions.js';
import type { Sightings } from './sightings.js';

interface Known extends Pick<State, 'temperature' | 'humidity' | PolledField> {
  readonly isLinked: boolean;
}

/** Of one clock, as long as it has a session. */
interface Entry {
  known: Known;
  isReading: boolean;
  readonly pendingReads: Set<PolledField>;
  /** It ended its link for want of an answer to these: they are not asked for again. */
  readonly unanswered: Set<PolledField>;
  /** Cancels the read after the next alarm. */
  cancelRead: Cancel;
}

export interface ClockMemberOptions {
  readonly fleet: Fleet;
  readonly sessions: Sessions;
  readonly sightings: Sightings;
  readonly reads: Reads;
  readonly time: TimeSource;
}

export const openMember = ({ fleet, sessions, sightings, reads, time }: ClockMemberOptions) => {
  const entries = new Map<Address, Entry>();
  const { signal } = new AbortController();

  const entryOf = (address: Address): Entry => {
    const reading = sightings.of(address)?.reading;
    return {
      known: {
        temperature: reading?.temperature ?? null,
        humidity: reading?.humidity ?? null,
        settings: null,
        alarms: null,
        firmware: null,
        isLinked: false,
      },
      isReading: false,
      pendingReads: new Set(),
      unanswered: new Set(),
      cancelRead: () => undefined,
    };
  };

  const change = (address: Address, known: Partial<Known>): void => {
    const entry = entries.get(address);
    if (entry === undefined) return;
    entry.known = { ...entry.known, ...known };
    fleet.changed(address);
    awaitAlarm(address, entry);
  };

  const awaitAlarm = (address: Address, entry: Entry): void => {
    entry.cancelRead();
    const { alarms, settings } = entry.known;
    const now = time.date();
    const passed = alarms === null || settings === null ? null : alarmPassed(alarms, settings, now);
    if (passed === null) return;
    entry.cancelRead = time.after(passed.getTime() - now.getTime(), () => {
      change(address, {});
      ask(address, ['alarms']);
    });
  };

  const forget = (address: Address): void => {
    entries.get(address)?.cancelRead();
    entries.delete(address);
  };

  /** Reads one thing after another, so that commands of clients come between. */
  const readPending = async (address: Address, entry: Entry): Promise<void> => {
    if (entry.isReading) return;
    entry.isReading = true;
    try {
      for (const what of entry.pendingReads) {
        if (!sessions.isConnected(address)) break;
        entry.pendingReads.delete(what);
        const read = await reads[what](address, signal)();
        if (E.isLeft(read) && read.left._tag === 'NoAnswer') entry.unanswered.add(what);
      }
    } finally {
      entry.isReading = false;
    }
  };

  const ask = (address: Address, what: readonly PolledField[]): void => {
    const entry = entries.get(address);
    if (entry === undefined) return;
    for (const one of what) if (!entry.unanswered.has(one)) entry.pendingReads.add(one);
    detached(readPending(address, entry));
  };

  const stateOf = (address: Address): State => {
    const { name = '', rssi = null } = sightings.of(address) ?? {};
    const { isLinked, ...known } = entries.get(address)?.known ?? entryOf(address).known;
    const { settings, alarms } = known;
    const next = settings === null || alarms === null ? null : nextAlarm(alarms, settings, time.date());
    return {
      ...{ address, name, rssi, connected: isLinked, battery: sightings.battery(address)?.level ?? null },
      ...{ ...known, next_alarm: next?.toISOString() ?? null },
    };
  };

  const deviceOf = (address: Address): MemberDevice => {
    const { firmware = null, alarms = null } = entries.get(address)?.known ?? {};
    return {
      address,
      isConnected: E.isRight(sessions.check(address)),
      state: () => State.encode(stateOf(address)),
      identity: { address },
      homeAssistant: {
        dependencies: [sightings.of(address)?.name, firmware, alarms?.map(({ slot }) => slot).join()],
        describe: (topics) => clockInHomeAssistant(stateOf(address))(topics),
      },
    };
  };

  return {
    devices: (): readonly MemberDevice[] => sessions.addresses.map(deviceOf),
    device: (address: Address): MemberDevice | undefined =>
      sessions.has(address) ? deviceOf(address) : undefined,
    updateCache: change,
    happened: (address: Address, { event, data }: ClockEvent) => {
      if (event === 'sensor_update' || event === 'advertisement') {
        change(address, { temperature: data.temperature, humidity: data.humidity });
      } else if (event === 'battery_level') {
        change(address, {});
      } else if (event === 'ack' && data.status === 'success') {
        ask(address, commands[data.command].changes);
      }
    },
    /** To be called whenever a session or a link has begun or ended. */
    changed: (address: Address) => {
      // A server by itself has nobody to read for.
      if (fleet.state === 'off') return;
      if (!sessions.has(address)) forget(address);
      else if (!entries.has(address)) entries.set(address, entryOf(address));
      const was = entries.get(address)?.known.isLinked;
      const isLinked = sessions.isConnected(address);
      change(address, { isLinked });
      if (isLinked && was === false) ask(address, POLLED_FIELDS);
      fleet.changed(address);
    },
    close: () => {
      for (const address of [...entries.keys()]) forget(address);
    },
  };
};
