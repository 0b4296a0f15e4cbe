/** Both LEDs of a die, as they were last set from here. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Status } from '../../dice/contract.js';
import { Action } from '../action.js';
import type { Failure } from '../api.js';
import { Failed } from '../failed.js';
import { DARK, light, pulse } from './actions.js';
import { leds } from './state.js';
import { texts } from './texts.js';

const FIRST_COLOUR = '#2d5bd7';

export const Lights = ({ die: { session_id: id, connected } }: { readonly die: Status }) => {
  const failure = useSignal<Failure | null>(null);
  const before = useRef(Promise.resolve());
  const known = leds.value.get(id);
  const [first, second] = known ?? [FIRST_COLOUR, FIRST_COLOUR];

  /** Sets one, or both where neither is known; each after the one before, which may have made them known. */
  const set = (which: 0 | 1, colour: string): void => {
    before.current = before.current.then(async () => {
      const [one, other] = leds.value.get(id) ?? [colour, colour];
      failure.value = await (which === 0 ? light(id, colour, other) : light(id, one, colour));
    });
  };

  const input = (label: string, which: 0 | 1, value: string) => (
    <input
      type="color"
      class={known === undefined ? 'unknown' : ''}
      aria-label={label}
      value={value}
      disabled={!connected}
      onChange={({ currentTarget }) => set(which, currentTarget.value)}
    />
  );
  return (
    <fieldset class="lights">
      <legend>
        {texts.leds}
        {known === undefined ? ` ${texts.ledsUnknown}` : ''}
      </legend>
      <div class="actions">
        {input(texts.led1, 0, first)}
        {input(texts.led2, 1, second)}
        <Action label={texts.pulse} disabled={!connected} run={() => pulse(id, first)} />
        <Action label={texts.ledsOff} disabled={!connected} run={() => light(id, DARK, DARK)} />
      </div>
      <Failed message={failure.value?.error} />
    </fieldset>
  );
};
