/** Heart Rate Measurement of the Heart Rate Service 1.0 (Bluetooth SIG, HRS_SPEC_V10), §3.1. */

const Flag = {
  rateIn16Bits: 0x01,
  contact: 0x02,
  contactSensed: 0x04,
  energy: 0x08,
  intervals: 0x10,
} as const;

export interface Beat {
  /** Beats per minute, 1 to 300. */
  readonly bpm: number;
  /** Whether the strap touches skin. */
  readonly contact: boolean;
  /** Since the last reset, 0 to 65535. */
  readonly energy_kj: number;
}

const uint16 = (value: number): readonly number[] => [value & 0xff, value >> 8];

/** Flags, rate, energy, and with `intervals` the time since the last beat in 1/1024 s; without contact no rate. */
export const measurement = ({ bpm, contact, energy_kj }: Beat, intervals: boolean): Buffer => {
  const wide = bpm > 0xff;
  const timed = intervals && contact;
  const flags =
    Flag.contact |
    Flag.energy |
    (wide ? Flag.rateIn16Bits : 0) |
    (contact ? Flag.contactSensed : 0) |
    (timed ? Flag.intervals : 0);
  return Buffer.from([
    flags,
    ...(wide ? uint16(bpm) : [bpm]),
    ...uint16(energy_kj),
    ...(timed ? uint16(Math.round((60 / bpm) * 1024)) : []),
  ]);
};
