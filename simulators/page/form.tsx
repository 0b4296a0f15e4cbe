/** Inputs for the fields of a body, and a button that sends them. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Action } from '../../src/page/common/action.js';
import type { Outcome } from '../../src/page/common/api.js';
import { Inputs } from './inputs.js';
import { bodyOf, isComplete, type Body, type Entered, type Variant } from './schema.js';

export interface FormProps {
  readonly of: Variant;
  /** The values in force. */
  readonly current?: Entered;
  readonly label: string;
  readonly primary?: boolean;
  readonly run: (body: Body) => Outcome;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

export const Form = ({ of, current = {}, label, primary = false, run, children }: FormProps) => {
  const entered = useSignal<Entered>({});
  const values = { ...current, ...entered.value };
  const send = async (): Outcome => {
    const failure = await run(bodyOf(of, values));
    if (failure === null) entered.value = {};
    return failure;
  };
  return (
    <div class="fields">
      <Inputs
        fields={of.fields}
        entered={values}
        enter={(name, value) => (entered.value = { ...entered.value, [name]: value })}
      />
      <div class="actions">
        <Action label={label} primary={primary} disabled={!isComplete(of, values)} run={send} />
        {children}
      </div>
    </div>
  );
};
