/** A die that lies or rolls, in the light of its LEDs. */
import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { DetailedStatus } from '../../dice/contract.js';
import { DARK } from './actions.js';
import { written } from '../common/outlines.js';
import { Shape } from './shape.js';
import { colourOf, ledsOf, starts, taps } from './state.js';
import { texts } from './texts.js';

/** A die that has not landed after this time was caught, or its event was lost. */
const LONGEST_ROLL_MS = 8_000;

export type Motion = 'lies' | 'tumbles' | 'caught';

/** How a die moves; caught: it has rolled too long. */
export const useMotion = ({ address, rolling }: DetailedStatus): Motion => {
  const start = useComputed(() => starts.value.get(address)).value;
  const isCaught = useSignal(false);
  useEffect(() => {
    isCaught.value = false;
    if (!rolling) return undefined;
    const landing = setTimeout(() => (isCaught.value = true), LONGEST_ROLL_MS);
    return () => clearTimeout(landing);
  }, [rolling, start]);
  if (!rolling) return 'lies';
  return isCaught.value ? 'caught' : 'tumbles';
};

const Glow = ({ place, colour }: { readonly place: string; readonly colour: string }) => (
  <svg class={`glow ${place}`} viewBox="0 0 100 100" aria-hidden="true">
    <circle cx="50" cy="50" r="50" fill={colour} />
  </svg>
);

interface StageProps {
  readonly die: DetailedStatus;
  readonly tumbles: boolean;
}

export const Stage = ({ die, tumbles }: StageProps) => {
  const { address, dice_type, color, face, rolling } = die;
  const tap = taps.value.get(address);
  const leds = ledsOf(die);
  const shown = face === null || rolling ? '?' : written(dice_type, face);
  return (
    <div class="stage">
      {leds
        .map((led) => ({ led, colour: colourOf(die, led) ?? DARK }))
        .filter(({ colour }) => colour !== DARK)
        .map(({ led, colour }) => (
          <Glow key={led} place={leds.length === 1 ? 'all' : led} colour={colour} />
        ))}
      <Shape type={dice_type} color={color} shown={shown} tumbles={tumbles} />
      {tap === undefined ? null : (
        <span key={tap.key} class="tap" role="status">
          {texts.taps[tap.kind]}
        </span>
      )}
    </div>
  );
};
