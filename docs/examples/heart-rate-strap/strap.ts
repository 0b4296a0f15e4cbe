/** A heart-rate strap: the Heart Rate Service 1.0 (Bluetooth SIG, HRS_SPEC_V10; §2 and §3). */
import { codecs, deviceKind } from 'airbench/control';
import { measurement } from './measurement.js';

const Uuid = { service: '180d', rate: '2a37', location: '2a38', controlPoint: '2a39' } as const;
const CHEST = Buffer.from([1]);
const RESET_ENERGY = 1;
const Status = { success: 0x00, notSupported: 0x80 } as const;

const bpm = codecs.integer(1, 300);

export const strap = deviceKind({
  addressPrefix: 'C0:DE:00',
  addressType: 'random',
  start: codecs.closedObject({
    bpm: codecs.withDefault(bpm, 60),
    energy_kj: codecs.withDefault(codecs.integer(0, 65535), 0),
  }),
  actions: { rate: codecs.closedObject({ bpm }), contact: codecs.closedObject({ on: codecs.boolean }) },
  /** Many straps tell their rate alone. */
  behaviour: codecs.closedObject({ without_intervals: codecs.withDefault(codecs.boolean, false) }),
  make: ({ bpm, energy_kj }, { without_intervals }, { createPeripheral, time, changed }) => {
    let state = { bpm, contact: true, energy_kj, behaviour: { without_intervals } };
    const become = (change: Partial<typeof state>): void => {
      state = { ...state, ...change };
      changed();
    };
    let pause = (): void => undefined;
    const beat = (notify: (value: Buffer) => void): void => {
      pause = time.after(60_000 / state.bpm, () => {
        notify(measurement(state, !state.behaviour.without_intervals));
        beat(notify);
      });
    };
    const resetEnergy = ([command]: Buffer) => {
      if (command !== RESET_ENERGY) return Status.notSupported;
      become({ energy_kj: 0 });
      return Status.success;
    };
    const characteristics = [
      { uuid: Uuid.rate, properties: ['notify'], onSubscribe: beat, onUnsubscribe: () => pause() },
      { uuid: Uuid.location, properties: ['read'], onRead: () => CHEST },
      { uuid: Uuid.controlPoint, properties: ['write'], onWrite: resetEnergy },
    ] as const;
    return {
      peripheral: createPeripheral({
        name: 'Strap',
        advertises: [Uuid.service],
        services: [{ uuid: Uuid.service, characteristics }],
      }),
      model: () => state,
      actions: {
        rate: ({ bpm }) => become({ bpm }),
        contact: ({ on }) => become({ contact: on }),
      },
      setBehaviour: ({ without_intervals }) => become({ behaviour: { without_intervals } }),
      close: () => pause(),
    };
  },
});
