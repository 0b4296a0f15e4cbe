/** Both LEDs of a die, as they were last set from here. */
import { useSignal } from '@preact/signals';
import type { Status } from '../../dice/contract.js';
import { Action } from '../action.js';
import type { Failure } from '../api.js';
import { DARK, light, pulse } from './actions.js';
import { leds } from './state.js';
import { texts } from './texts.js';

const FIRST_COLOUR = '#2d5bd7';

export const Lights = ({ die: { session_id: id, connected } }: { readonly die: Status }) => {
  const failure = useSignal<Failure | null>(null);
  const known = leds.value.get(id);
  const [first, second] = known ?? [FIRST_COLOUR, FIRST_COLOUR];
  const set = async (one: string, other: string): Promise<void> => {
    failure.value = await light(id, one, other);
  };
  const input = (label: string, value: string, chosen: (colour: string) => Promise<void>) => (
    <input
      type="color"
      class={known === undefined ? 'unknown' : ''}
      aria-label={label}
      value={value}
      disabled={!connected}
      onChange={({ currentTarget }) => void chosen(currentTarget.value)}
    />
  );
  return (
    <fieldset class="lights">
      <legend>
        {texts.leds}
        {known === undefined ? ` ${texts.ledsUnknown}` : ''}
      </legend>
      <div class="actions">
        {input(texts.led1, first, (colour) => set(colour, known === undefined ? colour : second))}
        {input(texts.led2, second, (colour) => set(known === undefined ? colour : first, colour))}
        <Action label={texts.pulse} disabled={!connected} run={() => pulse(id, first)} />
        <Action label={texts.ledsOff} disabled={!connected} run={() => light(id, DARK, DARK)} />
      </div>
      {failure.value === null ? null : (
        <span class="failure" role="alert">
          {failure.value.error}
        </span>
      )}
    </fieldset>
  );
};
