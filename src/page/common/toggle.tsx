/** A checkbox whose state is that of the server. */
import { useSignal } from '@preact/signals';
import { detached } from '../../async/defects.js';
import { Failed } from './action.js';
import type { Failure, Outcome } from './api.js';
import { Checkbox } from './controls.js';
import { namedFor } from './texts.js';

interface ToggleProps {
  readonly label: string;
  /** The object of the choice, for screen readers. */
  readonly of?: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly set: (checked: boolean) => Outcome;
}

export const Toggle = ({ label, of, checked, disabled = false, set }: ToggleProps) => {
  const failure = useSignal<Failure | null>(null);
  const run = async (is: boolean): Promise<void> => {
    failure.value = await set(is);
  };
  return (
    <>
      <label class="chosen">
        <Checkbox
          label={namedFor(label, of)}
          checked={checked}
          disabled={disabled}
          change={(is) => detached(run(is))}
        />
        {label}
      </label>
      <Failed message={failure.value?.error} code={failure.value?.code} />
    </>
  );
};
