import { codecs, decode, type Device, type DeviceKind, type Surroundings } from 'airbench/control';
import {
  AdType,
  completeName,
  createPeripheral,
  encodeAdvertisingData,
  generalDiscoverable,
  uuidBytes,
} from 'airbench/peripheral';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { measurement } from './measurement.js';

const NAME = 'Strap';

/** Heart Rate Service 1.0 (Bluetooth SIG, HRS_SPEC_V10): the service (§2), its characteristics and what they hold (§3). */
const Uuid = { service: '180d', measurement: '2a37', location: '2a38', controlPoint: '2a39' } as const;
const CHEST = 1;
const RESET_ENERGY = 1;
const Status = { success: 0x00, notSupported: 0x80 } as const;

const bpm = codecs.integer(1, 300);
const Start = codecs.objectWith({}, { bpm, energy_kj: codecs.integer(0, 65535) });
const Action = codecs.tagged('type', {
  rate: codecs.object({ type: t.literal('rate'), bpm }),
  contact: codecs.object({ type: t.literal('contact'), on: codecs.boolean }),
});
/** Many straps tell their rate alone. */
const Temper = codecs.objectWith({}, { without_intervals: codecs.boolean });

const wear = async (
  start: t.TypeOf<typeof Start>,
  { socket, clock, changed }: Surroundings,
): Promise<Device> => {
  let state = { bpm: start.bpm ?? 60, contact: true, energy: start.energy_kj ?? 0, intervals: true };
  const become = (change: Partial<typeof state>): void => {
    state = { ...state, ...change };
    changed();
  };
  let pause = (): void => undefined;
  const beat = (notify: (value: Buffer) => void): void => {
    pause = clock.after(60_000 / state.bpm, () => {
      notify(measurement(state));
      beat(notify);
    });
  };
  const strap = await createPeripheral({
    socket,
    name: NAME,
    services: [
      {
        uuid: Uuid.service,
        characteristics: [
          { uuid: Uuid.measurement, properties: ['notify'], onSubscribe: beat, onUnsubscribe: () => pause() },
          { uuid: Uuid.location, properties: ['read'], onRead: () => Buffer.from([CHEST]) },
          {
            uuid: Uuid.controlPoint,
            properties: ['write'],
            onWrite: ([command]) => {
              if (command !== RESET_ENERGY) return Status.notSupported;
              become({ energy: 0 });
              return Status.success;
            },
          },
        ],
      },
    ],
    onConnect: changed,
    onDisconnect: changed,
  });
  const service = { type: AdType.completeUuids16, value: uuidBytes(Uuid.service) };
  strap.advertise(
    encodeAdvertisingData([generalDiscoverable, service, completeName(NAME)]),
    encodeAdvertisingData([]),
  );
  return {
    name: NAME,
    get connected() {
      return strap.connected;
    },
    get advertising() {
      return !strap.connected;
    },
    get model() {
      const { bpm, contact, energy, intervals } = state;
      return { bpm, contact, energy_kj: energy, temper: { without_intervals: !intervals } };
    },
    act: (action) =>
      pipe(
        action,
        decode(Action, 'the body'),
        E.map((given) => become(given.type === 'rate' ? { bpm: given.bpm } : { contact: given.on })),
      ),
    setTemper: (temper) =>
      pipe(
        temper,
        decode(Temper, 'the body'),
        E.map(({ without_intervals = false }) => become({ intervals: !without_intervals })),
      ),
    close: () => {
      pause();
      strap.close();
    },
  };
};

/** A heart-rate strap. */
export const strap: DeviceKind = {
  addressPrefix: 'C0:DE:00',
  addressType: 'random',
  prepare: (given) =>
    pipe(
      given,
      decode(Start, 'the strap'),
      E.map((start) => (surroundings) => wear(start, surroundings)),
    ),
};
