/**
 * The acceleration of a die on each face, in counts, and its labels in each shell: the vendor's tables, quirks included
 * (docs/godice-protocol.md §5.2). The rows of a table have the vendor's index, from 1.
 */
import type { DiceType } from '../dice-values.js';
import type { Acceleration } from './notification.js';

/** x, y, z; the index is the face of a d6. */
const D6_VECTORS: readonly (readonly [number, number, number])[] = [
  [-64, 0, 0],
  [0, 0, 64],
  [0, 64, 0],
  [0, -64, 0],
  [0, 0, -64],
  [64, 0, 0],
];

/** x, y, z, face of a d10; the index is the face of a d20. Index 2 has z 40, not 42, in every source. */
const D20_VECTORS: readonly (readonly [number, number, number, number])[] = [
  [-64, 0, -22, 8],
  [42, -42, 40, 2],
  [0, 22, -64, 6],
  [0, 22, 64, 1],
  [-42, -42, 42, 4],
  [22, 64, 0, 3],
  [-42, -42, -42, 9],
  [64, 0, -22, 0],
  [-22, 64, 0, 7],
  [42, -42, -42, 5],
  [-42, 42, 42, 5],
  [22, -64, 0, 7],
  [-64, 0, 22, 0],
  [42, 42, 42, 9],
  [-22, -64, 0, 3],
  [42, 42, -42, 4],
  [0, -22, -64, 1],
  [0, -22, 64, 6],
  [-42, 42, -42, 2],
  [64, 0, 22, 8],
];

/** x, y, z, faces of a d4, d8 and d12. Indexes 3, 9 and 18 are all 40, not 20/40/40, in every source. */
const D24_VECTORS: readonly (readonly [number, number, number, number, number, number])[] = [
  [20, -60, -20, 3, 3, 1],
  [20, 0, 60, 1, 3, 2],
  [-40, -40, 40, 4, 6, 3],
  [-60, 0, 20, 1, 1, 4],
  [40, 20, 40, 4, 2, 5],
  [-20, -60, -20, 4, 8, 6],
  [20, 60, 20, 1, 1, 7],
  [-40, 20, -40, 4, 1, 8],
  [-40, 40, 40, 2, 4, 9],
  [-20, 0, 60, 3, 7, 10],
  [-20, -60, 20, 1, 5, 11],
  [60, 0, 20, 1, 5, 12],
  [-60, 0, -20, 1, 4, 1],
  [20, 60, -20, 4, 4, 2],
  [20, 0, -60, 2, 2, 3],
  [40, -20, -40, 3, 5, 4],
  [-20, 60, -20, 3, 7, 5],
  [-40, -40, -40, 2, 7, 6],
  [40, -20, 40, 2, 8, 7],
  [20, -60, 20, 2, 2, 8],
  [60, 0, -20, 4, 8, 9],
  [40, 20, -40, 1, 3, 10],
  [-20, 0, -60, 3, 6, 11],
  [-20, 60, 20, 2, 6, 12],
];

interface Position {
  readonly vector: Acceleration;
  readonly face: number;
}

const position = (x: number, y: number, z: number, face: number): Position => ({ vector: { x, y, z }, face });

/** The positions of each shell. The die does not know its shell; the host does (docs/godice-protocol.md §5). */
const shells: Readonly<Record<DiceType, readonly Position[]>> = {
  d6: D6_VECTORS.map(([x, y, z], index) => position(x, y, z, index + 1)),
  d20: D20_VECTORS.map(([x, y, z], index) => position(x, y, z, index + 1)),
  d10: D20_VECTORS.map(([x, y, z, face]) => position(x, y, z, face)),
  d10x: D20_VECTORS.map(([x, y, z, face]) => position(x, y, z, 10 * face)),
  d4: D24_VECTORS.map(([x, y, z, face]) => position(x, y, z, face)),
  d8: D24_VECTORS.map(([x, y, z, , face]) => position(x, y, z, face)),
  d12: D24_VECTORS.map(([x, y, z, , , face]) => position(x, y, z, face)),
};

const squaredDistance = (a: Acceleration, b: Acceleration): number =>
  (a.x - b.x) ** 2 + (a.y - b.y) ** 2 + (a.z - b.z) ** 2;

/** The position with the nearest vector, not normalised; the first of two equally near (docs/godice-protocol.md §5.1). */
const nearest = (shell: DiceType, acceleration: Acceleration): Position =>
  shells[shell].reduce((best, candidate) =>
    squaredDistance(candidate.vector, acceleration) < squaredDistance(best.vector, acceleration)
      ? candidate
      : best,
  );

/** The face that is up: 1 to n, on a d10 0 to 9, on a d10x 0, 10 … 90. */
export const faceOf = (shell: DiceType, acceleration: Acceleration): number =>
  nearest(shell, acceleration).face;

/** The vector of the table nearest to `acceleration`, in counts. */
export const nearestVector = (shell: DiceType, acceleration: Acceleration): Acceleration =>
  nearest(shell, acceleration).vector;

/** The first vector of the table with `face`; undefined: the shell has no such face. */
export const vectorFor = (shell: DiceType, face: number): Acceleration | undefined =>
  shells[shell].find((candidate) => candidate.face === face)?.vector;
