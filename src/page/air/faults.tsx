/** The faults in force with what each has done, and new ones. */
import { useComputed, useSignal } from '@preact/signals';
import { Action } from '../action.js';
import { Inputs } from './inputs.js';
import { bodyOf, isComplete, variantsOf, type Entered } from './schema.js';
import { texts } from './texts.js';
import { addFault, removeFault } from './actions.js';
import { adapters, devices, faults, rows } from './state.js';

const VARIANTS = variantsOf(rows.addFault.body.schema.takes);
const TYPES = [...new Set(VARIANTS.map(({ constants: { type = '' } }) => type))];

const ALL = 'all';
/** It is for adapters alone. */
const OF_ADAPTERS = 'adapter_down';

const NewFault = () => {
  const type = useSignal('out_of_range');
  const stage = useSignal('');
  const target = useSignal('');
  const entered = useSignal<Entered>({});
  const variants = VARIANTS.filter((variant) => variant.constants['type'] === type.value);
  const variant = variants.find((one) => one.constants['stage'] === stage.value) ?? variants[0];
  const targets = useComputed(() => [
    ...(type.value === OF_ADAPTERS ? [] : [ALL, ...devices.value.keys()]),
    ...adapters.value.map(({ id }) => id),
  ]).value;
  if (variant === undefined) return null;
  const device = targets.includes(target.value) ? target.value : (targets[0] ?? '');
  const values = { ...entered.value, device };
  return (
    <div class="do">
      <label>
        <span>{texts.type}</span>
        <select value={type.value} onChange={({ currentTarget }) => (type.value = currentTarget.value)}>
          {TYPES.map((one) => (
            <option key={one} value={one}>
              {texts.name(one)}
            </option>
          ))}
        </select>
      </label>
      {variants.length > 1 ? (
        <label>
          <span>{texts.stage}</span>
          <select
            value={variant.constants['stage']}
            onChange={({ currentTarget }) => (stage.value = currentTarget.value)}
          >
            {variants.map(({ constants: { stage: one = '' } }) => (
              <option key={one} value={one}>
                {texts.name(one)}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <label>
        <span>{texts.of}</span>
        <select value={device} onChange={({ currentTarget }) => (target.value = currentTarget.value)}>
          {targets.map((one) => (
            <option key={one} value={one}>
              {one === ALL ? texts.all : one}
            </option>
          ))}
        </select>
      </label>
      <Inputs
        fields={variant.fields.filter(({ name }) => name !== 'device')}
        entered={values}
        enter={(name, value) => (entered.value = { ...entered.value, [name]: value })}
      />
      <Action
        primary
        label={texts.addFault}
        disabled={!isComplete(variant, values)}
        run={() => addFault(bodyOf(variant, values))}
      />
    </div>
  );
};

export const Faults = () => (
  <section class="card" aria-labelledby="faults">
    <h2 id="faults">{texts.faults}</h2>
    {faults.value.length === 0 ? (
      <p class="quiet">{texts.noFaults}</p>
    ) : (
      <ul class="list">
        {faults.value.map((fault) => (
          <li key={fault.id}>
            <span>
              <strong>{texts.name(fault.type)}</strong> {fault.device}
              <small> {texts.hits(fault.hits)}</small>
            </span>
            <Action label={texts.removeFault} run={() => removeFault(fault.id)} />
          </li>
        ))}
      </ul>
    )}
    <NewFault />
  </section>
);
