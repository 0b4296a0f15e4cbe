import { vectorFor } from '../../../src/protocols/godice/index.js';
import { facesOf, type Acceleration, type DiceType } from '../../../src/protocols/dice-values.js';

/** Most counts by which a measurement deviates from the table; too few to change the face on any shell (§5.2). */
const JITTER = 3;

/** The acceleration of a die that lies on `face`, a few counts of noise included; undefined if the shell has no such face. */
export const measureOn = (shell: DiceType, face: number, rng: () => number): Acceleration | undefined => {
  const vector = vectorFor(shell, face);
  const noise = (): number => Math.floor(rng() * (2 * JITTER + 1)) - JITTER;
  return vector && { x: vector.x + noise(), y: vector.y + noise(), z: vector.z + noise() };
};

/** A face of the shell by chance, all equally likely. */
export const anyFaceOf = (shell: DiceType, rng: () => number): number => {
  const faces = facesOf(shell);
  return faces[Math.floor(rng() * faces.length)] ?? 0;
};
