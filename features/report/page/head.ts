/** The verdict with its reasons and rules, and the verdicts of all benches. */
import { html, nothing, type Html } from '../../../src/html/index.js';
import type { Summary } from '../coverage.js';
import type { Run } from '../run.js';
import { minute } from '../times.js';
import { RULES, type Judgement, type Named, type Reason, type Verdict } from '../verdict.js';
import { shortReason } from '../reason.js';
import { badge, section } from './parts.js';

const SIGNS: Readonly<Record<Verdict, string>> = {
  accepted: '✓',
  'accepted with remarks': '!',
  'not accepted': '✗',
};

const CLASSES: Readonly<Record<Verdict, string>> = {
  accepted: 'good',
  'accepted with remarks': 'open',
  'not accepted': 'bad',
};

/** As many scenarios, lines or devices of a reason are named. */
const NAMED = 6;

const namedHtml = ({ name, id }: Named): Html =>
  id === '' ? html`${shortReason(name)}` : html`<a href="#${id}">${shortReason(name)}</a>`;

const separated = (parts: readonly Html[]): Html =>
  html`${parts.map((part, at) => (at === 0 ? part : html` · ${part}`))}`;

const reasonItem = ({ text, about }: Reason): Html => {
  const more = about.length > NAMED ? [html`and ${about.length - NAMED} more`] : [];
  const names = [...about.slice(0, NAMED).map(namedHtml), ...more];
  return html`<li><b>${text}</b>${names.length === 0 ? nothing : html`: ${separated(names)}`}</li>`;
};

const reasonList = (reasons: readonly Reason[]): Html =>
  html`<ul>
    ${reasons.map(reasonItem)}
  </ul>`;

const sentence = (verdict: Verdict): string => verdict.charAt(0).toUpperCase() + verdict.slice(1);

const rules = html`<div class="rules">
  <p>
    The verdict is about the latest run on a bench. It is <b>not accepted</b> if one of the first rules
    applies, <b>accepted with remarks</b> if one of the others does, and otherwise <b>accepted</b>.
  </p>
  ${RULES.map(
    ({ verdict, rules: list }) =>
      html`<div>
        <h3>${sentence(verdict)} if</h3>
        <ul>
          ${list.map((text) => html`<li>${text}</li>`)}
        </ul>
      </div>`,
  )}
</div>`;

/** The verdict on the shown run. */
export const verdictPart = (
  bench: string,
  { facts, startedAt }: Run,
  { verdict, reasons, further }: Judgement,
): Html =>
  html`<div class="verdict ${CLASSES[verdict]}">
    <p class="word"><span class="sign" aria-hidden="true">${SIGNS[verdict]}</span> ${sentence(verdict)}</p>
    <p>
      Bench ${bench}${facts === undefined ? '' : `, station ${facts.station}, profile ${facts.profile}`}; run
      of ${minute(startedAt)}
    </p>
    ${reasons.length === 0 ? html`<p>No rule speaks against it.</p>` : reasonList(reasons)}
    ${
      further.length === 0
        ? nothing
        : html`<p>Remarks besides:</p>
            ${reasonList(further)}`
    }
  </div>`;

export const rulesPart = (): Html => section('rules', 'The rules of the verdict', rules);

const bar = ({ lines: { verified, failing, unverified } }: Summary): Html => {
  const share = (count: number): string =>
    ((count * 100) / Math.max(1, verified + failing + unverified)).toFixed(1);
  return html`<div class="bar" aria-hidden="true">
    <i style="width:${share(verified)}%"></i><i class="bad" style="width:${share(failing)}%"></i>
  </div>`;
};

const counts = <K extends string>(of: Readonly<Record<K, number>>): Html =>
  html`${Object.entries<number>(of)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => html`<div>${badge(state as Parameters<typeof badge>[0], ` ${count}`)}</div>`)}`;

const summaryRow = (summary: Summary): Html => {
  const { bench, judgement, lines, scenarios } = summary;
  const latest = bench.runs.at(-1);
  const trouble = bench.trouble === undefined ? nothing : html`<div class="failed">${bench.trouble}</div>`;
  if (latest === undefined || judgement === undefined) {
    return html`<tr>
      <th scope="row">${bench.name}</th>
      <td colspan="4">${trouble}</td>
    </tr>`;
  }
  return html`<tr>
    <th scope="row">${bench.name}</th>
    <td>
      <span class="state ${CLASSES[judgement.verdict]}">${SIGNS[judgement.verdict]} ${judgement.verdict}</span
      >${trouble}
    </td>
    <td>${minute(latest.startedAt)}</td>
    <td>${counts(lines)}${bar(summary)}</td>
    <td>${counts(scenarios)}</td>
  </tr>`;
};

/** The verdict of each bench. */
export const summaryPart = (summaries: readonly Summary[]): Html =>
  section(
    'summary',
    'Summary',
    html`<div class="scroll">
      <table class="summary">
        <thead>
          <tr>
            <th scope="col">Bench</th>
            <th scope="col">Verdict on the latest run</th>
            <th scope="col">Started</th>
            <th scope="col">Lines</th>
            <th scope="col">Scenarios, by their last result</th>
          </tr>
        </thead>
        <tbody>
          ${summaries.map(summaryRow)}
        </tbody>
      </table>
    </div>`,
  );
