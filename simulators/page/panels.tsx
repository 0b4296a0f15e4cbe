/** Strict mode, and the last request as a command. */
import { useSignal } from '@preact/signals';
import { detached } from '../../src/async/defects.js';
import { texts } from './texts.js';
import { curl, violations } from './state.js';

export const Violations = () => {
  const report = violations.value;
  return (
    <section class="card" aria-labelledby="violations">
      <h2 id="violations">{texts.violations}</h2>
      {report?.strict !== true ? (
        <p class="quiet">{texts.notStrict}</p>
      ) : report.violations.length === 0 ? (
        <p class="quiet">{texts.noViolations}</p>
      ) : (
        <ul class="list">
          {report.violations.map(({ adapter, clause, message, count, packet }) => (
            <li key={`${adapter} ${clause} ${message}`}>
              <span>
                <strong>{adapter}</strong> {message}
                <small>
                  {' '}
                  {clause}, {texts.violated(count, packet)}
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
  const announced = useSignal('');
  const command = curl.value;
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command ?? '');
      announced.value = texts.copied;
    } catch {
      announced.value = texts.notCopied;
    }
  };
  return (
    <section class={command === null ? 'card curl' : 'card curl shown'} aria-labelledby="curl">
      <h2 id="curl">{texts.curl}</h2>
      {command === null ? <p class="quiet">{texts.noCurl}</p> : <code tabIndex={0}>{command}</code>}
      {command === null ? null : (
        <button type="button" onClick={() => detached(copy())}>
          {texts.copy}
        </button>
      )}
      <span class="quiet" role="status">
        {announced.value}
      </span>
    </section>
  );
};
