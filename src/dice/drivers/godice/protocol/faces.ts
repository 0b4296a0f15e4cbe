import type { DiceType } from '../../../values.js';
import type { Acceleration } from './notification.js';
import { D20_VECTORS, D24_VECTORS, D6_VECTORS } from './vectors.js';

interface Position {
  readonly vector: Acceleration;
  readonly face: number;
}

const position = (x: number, y: number, z: number, face: number): Position => ({ vector: { x, y, z }, face });

/** The shells a die can wear. The host knows which; the die does not (docs/godice-protocol.md §5). */
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

/** By squared distance, not normalised; of two as near, the one that comes first (docs/godice-protocol.md §5.1). */
const nearest = (shell: DiceType, acceleration: Acceleration): Position =>
  shells[shell].reduce((best, candidate) =>
    squaredDistance(candidate.vector, acceleration) < squaredDistance(best.vector, acceleration)
      ? candidate
      : best,
  );

/** The face that is up: 1 to n, on a d10 0 to 9, on a d10x 0, 10 … 90. */
export const faceOf = (shell: DiceType, acceleration: Acceleration): number =>
  nearest(shell, acceleration).face;

/** The table vector that `acceleration`, in counts, is nearest to. */
export const nearestVector = (shell: DiceType, acceleration: Acceleration): Acceleration =>
  nearest(shell, acceleration).vector;

/** The first table vector that gives `face`; undefined if the shell has no such face. */
export const vectorFor = (shell: DiceType, face: number): Acceleration | undefined =>
  shells[shell].find((candidate) => candidate.face === face)?.vector;
