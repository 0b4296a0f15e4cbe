/** Faces: a die reports the index of the face that is up, whose value follows from its type (docs/pixels-protocol.md §5). */
import type { DieType, KnownDieType } from './die-type.js';

const count = (length: number, valueOf: (index: number) => number): readonly number[] =>
  Array.from({ length }, (_, index) => valueOf(index));

const oneMore = (index: number): number => index + 1;

/** Values in the order of their indexes. */
const faces: Readonly<Record<KnownDieType, readonly number[]>> = {
  d4: count(4, oneMore),
  d6: count(6, oneMore),
  d8: count(8, oneMore),
  d10: count(10, (index) => index),
  d10x: count(10, (index) => 10 * index),
  d12: count(12, oneMore),
  d20: count(20, oneMore),
  d6_pipped: count(6, oneMore),
  fudge: [1, -1, 0, 0, -1, 1],
};

/** The last build whose d4 and d6 have a wrong table of axes. */
const LAST_OLD_BUILD = new Date('2024-01-01T23:00:00Z');

/** The values of an old build's indexes. */
const oldFaces: Partial<Readonly<Record<DieType, readonly number[]>>> = {
  d4: [1, 1, 3, 2, 1, 4],
  d6: [1, 5, 4, 3, 2, 6],
};

/** Whether a build is from 2023-11-17 or older; null: not known, and taken for a newer build. */
export const isOldBuild = (builtAt: Date | null): boolean => builtAt !== null && builtAt <= LAST_OLD_BUILD;

/** `builtAt`: the build of the die's firmware. */
const table = (type: KnownDieType, builtAt: Date | null): readonly number[] =>
  (isOldBuild(builtAt) ? oldFaces[type] : undefined) ?? faces[type];

/** Values of all faces by index; several faces of a `fudge` have the same value. */
export const facesOf = (type: KnownDieType): readonly number[] => faces[type];

/** The value of a face; the index itself if the type is unknown; undefined: the type has no such index. */
export const faceOf = (type: DieType, index: number, builtAt: Date | null): number | undefined =>
  type === 'unknown' ? index : table(type, builtAt)[index];

/** All indexes of a value; empty: the type has no such face. */
export const indexesOf = (type: KnownDieType, face: number, builtAt: Date | null): readonly number[] =>
  table(type, builtAt).flatMap((value, index) => (value === face ? [index] : []));
