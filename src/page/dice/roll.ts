/** A face that came up. */
import type { AnyDiceType, Status } from '../../dice/contract.js';

export interface Roll {
  /** Another one for each roll. */
  readonly key: string;
  readonly session: string;
  readonly address: string;
  /** The shell that the die wore; null: it is not connected any more. */
  readonly type: AnyDiceType | null;
  /** Of the die; null: it is not known, or not connected any more. */
  readonly color: Status['color'];
  readonly face: number;
  /** ISO 8601, UTC. */
  readonly time: string;
}

/** The class of what looks like its shell: `shells.css`. */
export const shellOf = (color: Status['color']): string => `shell ${color ?? 'plain'}`;

const FUDGE: Readonly<Record<number, string>> = { [-1]: '−', 0: '0', 1: '+' };

/** As it is written on the die: the tens of a percentile die have two digits, a fudge die has signs and blanks. */
export const written = (type: AnyDiceType | null, face: number): string => {
  if (type === 'fudge') return FUDGE[face] ?? String(face);
  return type === 'd10x' ? String(face).padStart(2, '0') : String(face);
};
