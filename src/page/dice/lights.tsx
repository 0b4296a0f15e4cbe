/** The LEDs of a die, in their last colours. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { DetailedStatus } from '../../dice/contract.js';
import type { Led } from '../../protocols/dice-values.js';
import { Action, Failed } from '../common/action.js';
import { namedFor } from '../common/texts.js';
import type { Failure } from '../common/api.js';
import { DARK, light, pulse } from './actions.js';
import { colourOf, dice, ledsOf, nameOf } from './state.js';
import { texts } from './texts.js';

const FIRST_COLOUR = '#2d5bd7';

export const Lights = ({ die }: { readonly die: DetailedStatus }) => {
  const { address, connected, capabilities } = die;
  const failure = useSignal<Failure | null>(null);
  const before = useRef(Promise.resolve());
  const leds = ledsOf(die);
  const isKnown = die.leds !== null;
  const shown = (led: Led): string => colourOf(die, led) ?? FIRST_COLOUR;

  /** Sets one LED, or all LEDs while their colours are unknown; requests run one after another. */
  const set = (led: Led, colour: string): void => {
    before.current = before.current.then(async () => {
      failure.value = await light(die, dice.value.get(address)?.leds === null ? leds : [led], colour);
    });
  };

  return (
    <fieldset class="lights">
      <legend>
        {texts.leds}
        {isKnown ? '' : ` ${texts.notSet}`}
      </legend>
      <div class="actions">
        {leds.map((led) => (
          <input
            key={led}
            type="color"
            class={isKnown ? '' : 'unknown'}
            aria-label={namedFor(leds.length === 1 ? texts.ledColour : texts[led], nameOf(die))}
            value={shown(led)}
            disabled={!connected}
            onChange={({ currentTarget }) => set(led, currentTarget.value)}
          />
        ))}
        {capabilities.includes('pulse') ? (
          <Action
            label={texts.pulse}
            of={nameOf(die)}
            disabled={!connected}
            run={() => pulse(die, shown('led1'))}
          />
        ) : null}
        <Action
          label={texts.ledsOff}
          of={nameOf(die)}
          disabled={!connected}
          run={() => light(die, leds, DARK)}
        />
      </div>
      <Failed message={failure.value?.error} code={failure.value?.code} />
    </fieldset>
  );
};
