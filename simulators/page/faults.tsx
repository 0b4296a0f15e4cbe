/** The active faults with their counts, and the form of a new fault. */
import { Action } from '../../src/page/common/action.js';
import { goOnAt } from '../../src/page/common/browser.js';
import { addFault, removeFault } from './actions.js';
import { FaultForm } from './fault-form.js';
import { variantsOf } from './schema.js';
import { ALL, faults, rows } from './state.js';
import { texts } from './texts.js';

const VARIANTS = variantsOf(rows.addFault.body.schema.input);

const end = async (id: string) => {
  const failure = await removeFault(id);
  if (failure === null) goOnAt('faults');
  return failure;
};

export const Faults = () => (
  <section class="card" aria-labelledby="faults">
    <h2 id="faults" tabIndex={-1}>
      {texts.faults}
    </h2>
    {faults.value.length === 0 ? (
      <p class="quiet">{texts.noFaults}</p>
    ) : (
      <ul class="list">
        {faults.value.map(({ id, type, device, hits }) => (
          <li key={id}>
            <span>
              <strong>{texts.fault(type)}</strong> {device === ALL ? texts.all : device}
              <small> {texts.hits(hits)}</small>
            </span>
            <Action label={texts.removeFault} of={`${texts.fault(type)} ${device}`} run={() => end(id)} />
          </li>
        ))}
      </ul>
    )}
    <FaultForm
      variants={VARIANTS}
      label={texts.addFault}
      run={(fault, device) => addFault({ ...fault, device })}
    />
  </section>
);
