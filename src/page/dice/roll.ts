/** A face that came up. */
import type { DiceType, Status } from '../../dice/contract.js';

export interface Roll {
  /** Another one for each roll. */
  readonly key: string;
  readonly session: string;
  readonly address: string;
  /** The shell that the die wore; null: it is not connected any more. */
  readonly type: DiceType | null;
  /** Of the die; null: it is not known, or not connected any more. */
  readonly color: Status['color'];
  readonly face: number;
  /** ISO 8601, UTC. */
  readonly time: string;
}

/** The class of what looks like its shell: `shells.css`. */
export const shellOf = (color: Status['color']): string => `shell ${color ?? 'plain'}`;

/** As it is written on the die: the tens of a percentile die have two digits. */
export const written = (type: DiceType | null, face: number): string =>
  type === 'd10x' ? String(face).padStart(2, '0') : String(face);
