/** Types and colours of dice by their codes (docs/pixels-protocol.md §2.1). */

/** In the order of their codes, 1 to 9. `d10x` is the d00 of the vendor, `fudge` its "d6 fudge". */
export const KNOWN_DIE_TYPES = ['d4', 'd6', 'd8', 'd10', 'd10x', 'd12', 'd20', 'd6_pipped', 'fudge'] as const;
export type KnownDieType = (typeof KNOWN_DIE_TYPES)[number];

/** In the order of their codes, 0 to 9. */
export const DIE_TYPES = ['unknown', ...KNOWN_DIE_TYPES] as const;
export type DieType = (typeof DIE_TYPES)[number];

/** In the order of their codes, 1 to 6, and `custom`, 255. */
export const COLORWAYS = [
  'onyx_black',
  'hematite_grey',
  'midnight_galaxy',
  'aurora_sky',
  'clear',
  'white_aurora',
  'custom',
] as const;
export type Colorway = (typeof COLORWAYS)[number];

const ledCounts: Readonly<Record<KnownDieType, number>> = {
  d4: 6,
  d6: 6,
  d8: 8,
  d10: 10,
  d10x: 10,
  d12: 12,
  d20: 20,
  d6_pipped: 21,
  fudge: 6,
};

/** How many LEDs a die of this type has, on the usual boards. */
export const ledCountOf = (type: KnownDieType): number => ledCounts[type];

/** The vendor's guesses of a type by the number of LEDs. */
const typesByLedCount: ReadonlyMap<number, KnownDieType> = new Map([
  [4, 'd4'],
  [6, 'd6'],
  [8, 'd8'],
  [10, 'd10'],
  [12, 'd12'],
  [20, 'd20'],
  [21, 'd6_pipped'],
]);

/** The type that a die reports; if it reports none, as with a custom colorway, a guess by its LEDs. */
export const guessType = (type: DieType, ledCount: number): DieType =>
  type === 'unknown' ? (typesByLedCount.get(ledCount) ?? 'unknown') : type;

/** A type without its artwork, in the terms of all makers. */
export type Shape = Exclude<KnownDieType, 'd6_pipped'>;

/** null: unknown. */
export const shapeOf = (type: DieType): Shape | null => {
  if (type === 'unknown') return null;
  return type === 'd6_pipped' ? 'd6' : type;
};
