/** Remarks, the steps, and the space for a signature. */
import { Html, html, nothing } from '../../../src/html/index.js';
import { validSignOff, type BenchRuns } from '../coverage.js';
import type { Run } from '../run.js';
import type { SignOff } from '../sign-off.js';
import type { ListedStep } from '../steps.js';
import { minute } from '../times.js';
import type { Judgement } from '../verdict.js';
import { place, section } from './parts.js';

export const remarksPart = ({ remarks }: Run): Html =>
  section(
    'remarks',
    'Remarks and observed values',
    remarks.length === 0
      ? nothing
      : html`<ul>
          ${remarks.map(
            ({ text, scenario: { name, uri, line } }) =>
              html`<li>${text} <span class="quiet">at “${name}”</span> ${place(uri, line)}</li>`,
          )}
        </ul>`,
  );

const stepItem = ({ pattern, uses }: ListedStep): Html =>
  html`<li>
    <code>${pattern}</code>
    ${
      uses.length === 0
        ? html`<span class="quiet">not used in this run</span>`
        : html`<details>
            <summary>${uses.length} ${uses.length === 1 ? 'use' : 'uses'}</summary>
            <ul>
              ${uses.map(({ place: where, text }) => html`<li>${text} <span class="where">${where}</span></li>`)}
            </ul>
          </details>`
    }
  </li>`;

/** The only script of the page: it hides the steps that lack the text of the search field. */
const SEARCH = `const field = document.querySelector('#steps input');
field.addEventListener('input', () => {
  const text = field.value.toLowerCase();
  for (const item of document.querySelectorAll('#steps .all > li'))
    item.hidden = !item.textContent.toLowerCase().includes(text);
});`;

export const stepsPart = (steps: readonly ListedStep[]): Html =>
  steps.length === 0
    ? nothing
    : section(
        'steps',
        'Steps',
        html`<details>
          <summary>${steps.length} steps that scenarios may use, and their uses in this run</summary>
          <p>
            <label>Search <input type="search" placeholder="the answer is" /></label>
          </p>
          <ul class="all">
            ${steps.map(stepItem)}
          </ul>
        </details>`,
        new Html(`<script>${SEARCH}</script>`),
      );

const line = (name: string, value: string): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;

const earlier = (signOff: SignOff): Html =>
  html`<p class="open">
    ${signOff.name} signed for an earlier run, on ${minute(Date.parse(signOff.at))}; that signature does not
    hold for this run.
  </p>`;

/** The place to sign for the latest run of a bench. */
export const signaturePart = (bench: BenchRuns, { verdict }: Judgement): Html => {
  const { digest = '', signOff } = bench;
  const valid = validSignOff(bench);
  return section(
    'signature',
    'Signature',
    signOff !== undefined && valid === undefined ? earlier(signOff) : nothing,
    html`<dl class="signature">
      ${[
        line('Name', valid?.name ?? ''),
        line('Date', valid === undefined ? '' : minute(Date.parse(valid.at))),
        line('Remark', valid?.remark ?? ''),
        line('Signature', ''),
      ]}
    </dl>`,
    html`<p class="quiet">
      The signature confirms the verdict “${verdict}” on the run of
      ${minute(bench.runs.at(-1)?.startedAt ?? 0)}. The messages of that run (messages.ndjson; of a resumed
      run, all its parts one after another) have the SHA-256 <code class="digest">${digest}</code>.
    </p>`,
  );
};
