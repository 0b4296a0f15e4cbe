/** Chaos, strict mode, and the last request as a command. */
import { useSignal } from '@preact/signals';
import { isObject } from './schema.js';
import { Action } from '../action.js';
import { texts } from './texts.js';
import { startChaos, stopChaos } from './actions.js';
import { chaos, curl, violations } from './state.js';

const EXAMPLE = JSON.stringify(
  { seed: 7, duration_secs: 60, faults: [{ type: 'link_loss', per_minute: 6 }] },
  null,
  2,
);

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
              <strong>{texts.name(type)}</strong>{' '}
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

export const Chaos = () => {
  const given = useSignal(EXAMPLE);
  return (
    <section class="card" aria-labelledby="chaos">
      <h2 id="chaos">{texts.chaos}</h2>
      <Plan />
      <label class="plan">
        <span>{texts.plan}</span>
        <textarea
          rows={9}
          spellcheck={false}
          value={given.value}
          onInput={({ currentTarget }) => (given.value = currentTarget.value)}
        />
      </label>
      <div class="do">
        <Action label={texts.startChaos} run={() => startChaos(given.value)} />
        <Action label={texts.stopChaos} disabled={chaos.value === null} run={stopChaos} />
      </div>
    </section>
  );
};

export const Violations = () => {
  const found = violations.value;
  return (
    <section class="card" aria-labelledby="violations">
      <h2 id="violations">{texts.violations}</h2>
      {found?.strict !== true ? (
        <p class="quiet">{texts.notStrict}</p>
      ) : found.violations.length === 0 ? (
        <p class="quiet">{texts.noViolations}</p>
      ) : (
        <ul class="list">
          {found.violations.map(({ adapter, clause, sentence, count }) => (
            <li key={`${adapter} ${clause} ${sentence}`}>
              <span>
                <strong>{adapter}</strong> {sentence}
                <small>
                  {' '}
                  {clause}, {texts.violated(count)}
                </small>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};

export const Curl = () => {
  const said = useSignal('');
  const command = curl.value;
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command ?? '');
      said.value = texts.copied;
    } catch {
      said.value = texts.notCopied;
    }
  };
  return (
    <section class="curl" aria-labelledby="curl">
      <h2 id="curl">{texts.curl}</h2>
      {command === null ? <p class="quiet">{texts.noCurl}</p> : <code tabIndex={0}>{command}</code>}
      {command === null ? null : (
        <button type="button" onClick={() => void copy()}>
          {texts.copy}
        </button>
      )}
      <span role="status">{said.value}</span>
    </section>
  );
};
