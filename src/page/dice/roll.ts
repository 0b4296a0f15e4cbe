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
