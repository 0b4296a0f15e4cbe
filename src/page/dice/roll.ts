/** A face that came up. */
import type { AnyDiceType, Status } from '../../dice/contract.js';

export interface Roll {
  /** Another one for each roll. */
  readonly key: string;
  readonly session: string;
  readonly address: string;
  /** The shell that the die wore; null: it is not connected any more. */
  readonly type: AnyDiceType | null;
  /** The colour of the die; null: it is unknown, or the die is no longer connected. */
  readonly color: Status['color'];
  readonly face: number;
  /** ISO 8601, UTC. */
  readonly time: string;
}

/** The CSS class of a die of this colour: `shells.css`. */
export const shellOf = (color: Status['color']): string => `shell ${color ?? 'plain'}`;
