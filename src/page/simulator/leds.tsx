/** The LEDs of a device as they are at this moment. */
import { isLit } from './shown.js';
import { texts } from './texts.js';

/** Of one LED with its place, in the units of the drawing. */
const STEP = 12;

export const Leds = ({ colors }: { readonly colors: readonly string[] }) => (
  <svg
    class="leds"
    width={colors.length * STEP}
    height={STEP}
    role="img"
    aria-label={texts.leds(colors.filter(isLit).length, colors.length)}
  >
    {colors.map((color, index) => (
      <circle
        key={index}
        class={isLit(color) ? '' : 'dark'}
        cx={(index + 0.5) * STEP}
        cy={STEP / 2}
        r="4.5"
        fill={`#${color}`}
      />
    ))}
  </svg>
);
