/** Faults at random times: the running plan, and the next plan. */
import { signal } from '@preact/signals';
import { Action } from '../../src/page/common/action.js';
import { goOnAt } from '../../src/page/common/browser.js';
import { startChaos, stopChaos } from './actions.js';
import { FaultForm } from './fault-form.js';
import { Form } from './form.js';
import { isObject, itemsOf, variantsOf, writtenOf, type Body, type Entered } from './schema.js';
import { ALL, chaos, rows } from './state.js';
import { texts } from './texts.js';

const { input } = rows.startChaos.body.schema;
const VARIANTS = itemsOf(input, 'faults');
const FIELDS = variantsOf(input).flatMap(({ fields }) =>
  fields.filter(({ name }) => !['devices', 'faults'].includes(name)),
);

const FIRST: Entered = { seed: '7', duration_secs: '60' };

/** The faults of the next plan. */
const draft = signal<readonly Body[]>([{ type: 'link_loss', per_minute: 6 }]);

const countOf = (counts: unknown, name: string): number => (isObject(counts) ? Number(counts[name]) : 0);

const Plan = () => {
  const plan = chaos.value;
  if (plan === null) return <p class="quiet">{texts.noChaos}</p>;
  const { running, elapsed_ms, duration_secs, faults } = plan;
  return (
    <>
      <p>{running ? texts.chaosRuns(Math.round(elapsed_ms / 1000), duration_secs) : texts.chaosOver}</p>
      <ul class="list">
        {Object.entries(isObject(faults) ? faults : {}).map(([type, counts]) => (
          <li key={type}>
            <span>
              <strong>{texts.fault(type)}</strong>{' '}
              <small>
                {texts.chaosDid(
                  countOf(counts, 'injected'),
                  countOf(counts, 'scheduled'),
                  countOf(counts, 'hits'),
                )}
              </small>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
};

const detailsOf = (fault: Body): string =>
  Object.entries(fault)
    .filter(([name]) => name !== 'type')
    .map(([name, value]) => `${texts.name(name)} ${writtenOf(value)}`)
    .join(', ');

const Draft = () => (
  <ul class="list">
    {draft.value.map((fault, index) => (
      <li key={index}>
        <span>
          <strong>{texts.fault(writtenOf(fault['type']))}</strong> <small>{detailsOf(fault)}</small>
        </span>
        <button
          type="button"
          aria-label={`${texts.takeOut} ${texts.fault(writtenOf(fault['type']))}`}
          onClick={() => {
            draft.value = draft.value.filter((planned) => planned !== fault);
            goOnAt('plan');
          }}
        >
          {texts.takeOut}
        </button>
      </li>
    ))}
  </ul>
);

const plan = (fault: Body, device: string): Promise<null> => {
  draft.value = [...draft.value, device === ALL ? fault : { ...fault, devices: [device] }];
  return Promise.resolve(null);
};

export const Chaos = () => (
  <section class="card" aria-labelledby="chaos">
    <h2 id="chaos">{texts.chaos}</h2>
    <Plan />
    <h3 id="plan" tabIndex={-1}>
      {texts.plan}
    </h3>
    <Draft />
    <details>
      <summary>{texts.another}</summary>
      <FaultForm variants={VARIANTS} label={texts.addToPlan} run={plan} />
    </details>
    <Form
      of={{ constants: {}, fields: FIELDS }}
      current={FIRST}
      label={texts.startChaos}
      run={(settings) => startChaos({ ...settings, faults: draft.value })}
    >
      <Action label={texts.stopChaos} disabled={chaos.value === null} run={stopChaos} />
    </Form>
  </section>
);
