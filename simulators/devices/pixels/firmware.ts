/** The releases of firmware that a die can have, and how they differ (docs/pixels-protocol.md). */
import { keysOf } from '../../../src/contract/index.js';
import { ledCountOf, type KnownDieType, type Profile } from '../../../src/protocols/pixels/index.js';

export interface Release {
  readonly profile: Profile;
  readonly builtAt: Date;
  /** Whether the die distinguishes the end of a roll from other rest (§4). */
  readonly reportsRolls: boolean;
  /** Whether a Blink with any loop count but 0 is endless (§3.1). */
  readonly endlessLoops: boolean;
  /** Whether a die of this type reports that it lies crooked (§4). */
  readonly reportsCrooked: (type: KnownDieType) => boolean;
}

const hasSixLeds = (type: KnownDieType): boolean => ledCountOf(type) === 6;
const isD4 = (type: KnownDieType): boolean => type === 'd4';

const first: Release = {
  profile: 'legacy',
  builtAt: new Date('2023-11-17T12:00:00Z'),
  reportsRolls: false,
  endlessLoops: true,
  reportsCrooked: hasSixLeds,
};
const second: Release = { ...first, builtAt: new Date('2024-02-06T12:00:00Z'), endlessLoops: false };
const third: Release = { ...second, builtAt: new Date('2024-09-27T12:00:00Z'), reportsCrooked: () => false };
const fourth: Release = { ...third, builtAt: new Date('2024-10-11T12:00:00Z'), reportsCrooked: isD4 };
const fifth: Release = { ...fourth, builtAt: new Date('2024-11-07T13:05:00Z'), reportsRolls: true };
const sixth: Release = { ...fifth, builtAt: new Date('2025-01-03T22:04:00Z'), profile: 'current' };

const releases = {
  '2023-11-17': first,
  '2024-02-06': second,
  '2024-09-27': third,
  '2024-10-11': fourth,
  '2024-11-07': fifth,
  '2025-01-03': sixth,
} as const satisfies Readonly<Record<string, Release>>;
export type Firmware = keyof typeof releases;
export const FIRMWARE = keysOf<Firmware>(releases);

export const releaseOf = (firmware: Firmware): Release => releases[firmware];
