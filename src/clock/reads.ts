/** The reads of a clock, for the WebSocket and for REST. */
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Address } from '../ble/ports.js';
import { alarmOf } from './alarm-change.js';
import type { AlarmClock } from './cgd1/clock.js';
import type { Alarm, BatteryAnswer, Device, Sensors, Settings } from './contract.js';
import type { Sessions } from './sessions.js';
import { storedIn } from './settings.js';
import type { Battery, Sightings } from './sightings.js';
import type { Zones } from './zones.js';

/** Reads a part of a clock. Left `NotConnected`: it has no link. `signal` is the client's. */
export type ReadClock<A> = (address: Address, signal: AbortSignal) => TE.TaskEither<DeviceError, A>;

const batteryOf = (address: Address, battery: Battery): BatteryAnswer => ({
  address,
  battery: battery.level,
  ...(battery.from === 'advertisement'
    ? { source: 'advertisement', heard_at: battery.heardAt.toISOString() }
    : { source: 'gatt', heard_at: null }),
});

/** The readings that a clock sends only on request. */
interface CachedReadings {
  readonly firmware: string;
  readonly alarms: readonly Alarm[];
  readonly settings: Settings;
}

type UpdateCache = (address: Address, readings: Partial<CachedReadings>) => void;

interface ReadsOptions {
  readonly sessions: Sessions;
  readonly sightings: Sightings;
  readonly zones: Pick<Zones, 'of'>;
  /** Called with each answer. */
  readonly updateCache: UpdateCache;
}

/** The reads, which wait in the queue of their clock like commands. */
export const clockReads = ({ sessions, sightings, zones, updateCache }: ReadsOptions) => {
  const polled =
    <A>(
      read: (device: AlarmClock, address: Address) => TE.TaskEither<DeviceError, A>,
      readingsIn: (answer: A) => Partial<CachedReadings>,
    ): ReadClock<A> =>
    (address, signal) =>
      sessions.run(address, signal, (device) =>
        pipe(
          read(device, address),
          TE.map((answer) => {
            updateCache(address, readingsIn(answer));
            return answer;
          }),
        ),
      );

  return {
    devices: (): readonly Device[] =>
      sessions.linked.map(({ address, found }) => {
        const { name, rssi } = sightings.of(address) ?? found;
        return { address, name, rssi };
      }),
    sensors: (address: Address, signal: AbortSignal): TE.TaskEither<DeviceError, Sensors> =>
      pipe(
        sessions.use(address, signal),
        TE.chain((session) => {
          const { newest } = session;
          const sighting = sightings.of(address);
          const reading = newest ?? (sighting?.outdated === false ? sighting.reading : null);
          return reading === null ? session.nextReading(signal) : TE.right(reading);
        }),
        TE.map(({ temperature, humidity }) => ({ temperature, humidity })),
      ),
    battery: (address: Address, signal: AbortSignal): TE.TaskEither<DeviceError, BatteryAnswer> => {
      const battery = sightings.battery(address);
      return battery !== undefined && battery.from !== 'read'
        ? pipe(
            sessions.use(address, signal),
            TE.map(() => batteryOf(address, battery)),
          )
        : sessions.run(address, signal, (device) =>
            pipe(
              device.battery,
              TE.map((level) => {
                sightings.measured(address, level, 'read');
                return batteryOf(address, { from: 'read', level });
              }),
            ),
          );
    },
    firmware: polled(
      (device, address) =>
        pipe(
          device.firmware,
          TE.map((firmware) => ({ address, firmware })),
        ),
      ({ firmware }) => ({ firmware }),
    ),
    alarms: polled(
      (device) =>
        pipe(
          device.alarms,
          TE.map((set) => set.map(alarmOf)),
        ),
      (alarms) => ({ alarms }),
    ),
    settings: polled(
      (device, address) =>
        pipe(
          device.settings('read_settings'),
          TE.bindTo('record'),
          TE.bind('zone', () => TE.fromTask(() => zones.of(address))),
          TE.chainEitherK(({ record, zone }) => storedIn(address, record, zone)),
          TE.map(({ settings }) => settings),
        ),
      (settings) => ({ settings }),
    ),
  };
};

export type Reads = ReturnType<typeof clockReads>;
