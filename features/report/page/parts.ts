/** Small parts of the page. */
import { html, nothing, type Html } from '../../../src/html/index.js';
import type { LineState, Result } from '../coverage.js';
import type { Step } from '../attempt.js';
import { day } from '../times.js';

const SIGNS: Readonly<Record<LineState | Result['status'], string>> = {
  verified: '✓',
  passed: '✓',
  flaky: '≈',
  failing: '✗',
  failed: '✗',
  unverified: '○',
  skipped: '↷',
  'not run': '·',
  'not claimed': '–',
};

export const badge = (state: LineState | Result['status'] | Step['status'], more = ''): Html =>
  html`<span class="state ${state.replace(' ', '-')}"
    ><span aria-hidden="true">${SIGNS[state]}</span> ${state}${more}</span
  >`;

export const when = (at: number): Html =>
  html` <time datetime="${new Date(at).toISOString()}">${day(at)}</time>`;

/** The place of a scenario: `scan.feature:6`. */
export const place = (uri: string, line: number): Html =>
  html`<span class="where">${uri.replace(/^.*[\\/]/, '')}:${line}</span>`;

/** The claim of a profile. */
export const CLAIMS = {
  airbench: 'all lines of the interface documents (profile airbench)',
  seed: 'what the interface documents state themselves (profile seed)',
} as const;

/** A table of facts; the first cell of a row is its head. On a narrow screen each cell has its column's head. */
export const table = (heads: readonly string[], rows: readonly (readonly Html[])[]): Html =>
  html`<div class="scroll">
    <table class="facts">
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first = nothing, ...cells]) =>
            html`<tr>
              <th scope="row">${first}</th>
              ${cells.map((cell, at) =>
                cell.text === ''
                  ? html`<td></td>`
                  : html`<td data-head="${heads[at + 1] ?? ''}">${cell}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;

/** A section with a heading; nothing without a content. */
export const section = (id: string, title: string, ...content: readonly Html[]): Html =>
  content.every(({ text }) => text === '')
    ? nothing
    : html`<section id="${id}">
        <h2>${title}</h2>
        ${content}
      </section>`;
