/** A die in its shape, with the upper face in the middle. */
import { useId } from 'preact/hooks';
import type { AnyDiceType, Status } from '../../dice/contract.js';
import { OUTLINES } from '../common/outlines.js';
import { texts } from './texts.js';

/** The CSS class of a die of a colour, from `shells.css`. */
export const shellOf = (color: Status['color']): string => `shell ${color ?? 'plain'}`;

interface ShapeProps {
  readonly type: AnyDiceType;
  readonly color: Status['color'];
  /** The text on the upper face. */
  readonly shown: string;
  readonly tumbles: boolean;
}

export const Shape = ({ type, color, shown, tumbles }: ShapeProps) => {
  const { outline, edges, y } = OUTLINES[type];
  const gradient = useId();
  return (
    <svg
      class={`shape ${shellOf(color)}${tumbles ? ' rolling' : ''}`}
      viewBox="0 0 100 100"
      role="img"
      aria-label={tumbles ? texts.rolling : shown}
    >
      <linearGradient id={gradient} x2="1" y2="1">
        <stop class="near" />
        <stop class="far" offset="1" />
      </linearGradient>
      <path class="outline" d={outline} fill={`url(#${gradient})`} />
      <path class="edges" d={edges} />
      <text class={type} x="50" y={y} text-anchor="middle" dominant-baseline="central">
        {shown}
      </text>
    </svg>
  );
};
