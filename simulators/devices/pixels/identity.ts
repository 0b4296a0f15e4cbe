import { ledCountOf, type BatteryState, type Identity } from '../../../src/protocols/pixels/index.js';
import { releaseOf } from './firmware.js';
import type { PixelState } from './state.js';

/** Arbitrary values: no host of this project reads them. */
const PROFILE_HASH = 0x57477a0b;
const FREE_FLASH = 0x5000;
const USABLE_FLASH = 0x6000;

/** The version of release 2025-01-03 (docs/pixels-protocol.md §3.3). */
const VERSION = 0x0100;
const NRF52810 = 1;

/** The identity that a die reports, in the form of its profile. */
export const identityOf = (state: PixelState, batteryState: BatteryState): Identity => {
  const { profile, builtAt } = releaseOf(state.firmware);
  const common = {
    pixelId: state.pixelId,
    dieType: state.type,
    ledCount: ledCountOf(state.type),
    colorway: state.colorway,
    builtAt,
    profileHash: PROFILE_HASH,
    freeFlash: FREE_FLASH,
    rollState: state.rollState,
    faceIndex: state.faceIndex,
    battery: state.batteryLevel,
    batteryState,
  };
  if (profile === 'legacy') return { profile, ...common };
  return {
    profile,
    ...common,
    firmwareVersion: VERSION,
    versions: { settings: VERSION, standard: VERSION, extended: VERSION, management: VERSION },
    chip: NRF52810,
    runMode: 'user',
    designName: '',
    name: state.name,
    usableFlash: USABLE_FLASH,
  };
};
