/** Faces of a die by their values. */
import { facesOf, indexesOf } from '../../../src/protocols/pixels/index.js';
import { releaseOf } from './firmware.js';
import type { PixelStart } from './state.js';

const pick = <A>(list: readonly A[], rng: () => number): A | undefined =>
  list[Math.floor(rng() * list.length)];

type Shape = Pick<PixelStart, 'type' | 'firmware'>;

/** The index of a face with this value, a random one of several; undefined if the die does not have the value. */
export const indexOf = ({ type, firmware }: Shape, face: number, rng: () => number): number | undefined =>
  pick(indexesOf(type, face, releaseOf(firmware).builtAt), rng);

/** A random face, all equally likely. */
export const anyIndexOf = (shape: Shape, rng: () => number): number =>
  indexOf(shape, pick(facesOf(shape.type), rng) ?? 0, rng) ?? 0;
