/** The verdict with its reasons and rules, and the verdicts of all benches. */
import { html, nothing, type Html } from '../../../src/html/index.js';
import type { Summary } from '../coverage.js';
import type { Run } from '../run.js';
import { minute } from '../times.js';
import type { RunFacts, ServerFacts } from '../facts.js';
import { RULES, type Judgement, type Named, type Reason, type Verdict } from '../verdict.js';
import { shortReason } from '../reason.js';
import { badge, CLAIMS, section, table } from './parts.js';

const SIGNS: Readonly<Record<Verdict, string>> = {
  accepted: '✓',
  'partly verified': '◐',
  'accepted with remarks': '!',
  'not accepted': '✗',
};

const CLASSES: Readonly<Record<Verdict, string>> = {
  accepted: 'good',
  'partly verified': 'open',
  'accepted with remarks': 'open',
  'not accepted': 'bad',
};

/** The most scenarios, lines or devices that a reason names. */
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
    The verdict is about the latest run on a bench: the first of these with a rule that applies. A run to
    which no rule applies is <b>accepted</b>.
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

const circumstances = ({ station, operator, profile }: RunFacts): string =>
  [
    `, station ${station}`,
    operator === null ? '' : `, operator ${operator}`,
    `; claimed: ${CLAIMS[profile]}`,
  ].join('');

const software = ({ name, url, about }: ServerFacts): string =>
  about === null
    ? `${name} at ${url}, of unknown version`
    : `${about.name} ${about.version}, commit ${about.commit ?? 'unknown'}`;

const underTest = ({ servers, seed }: RunFacts): Html => {
  const tested = servers.filter(({ name }) => name !== 'control API').map(software);
  return html`${tested.length === 0 ? nothing : html`<p>Tested: ${tested.join(' · ')}.</p>`}
  ${seed === null ? nothing : html`<p>All devices and radios were simulated; no real device was tested.</p>`}`;
};

/** The verdict on the shown run. */
export const verdictPart = (
  bench: string,
  { facts, startedAt }: Run,
  { verdict, reasons, further }: Judgement,
): Html =>
  html`<div class="verdict ${CLASSES[verdict]}">
    <p class="word"><span class="sign" aria-hidden="true">${SIGNS[verdict]}</span> ${sentence(verdict)}</p>
    <p>
      Run of ${minute(startedAt)} on the bench ${bench}${facts === undefined ? '' : circumstances(facts)}.
    </p>
    ${facts === undefined ? nothing : underTest(facts)}
    ${reasons.length === 0 ? html`<p>No rule speaks against acceptance.</p>` : reasonList(reasons)}
    ${
      further.length === 0
        ? nothing
        : html`<p>Remarks:</p>
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

const summaryRow = (summary: Summary): readonly Html[] => {
  const { bench, judgement, lines, scenarios } = summary;
  const latest = bench.runs.at(-1);
  const trouble = bench.trouble === undefined ? nothing : html`<div class="failed">${bench.trouble}</div>`;
  if (latest === undefined || judgement === undefined) {
    const noRun = html`<span class="quiet">no run</span>`;
    return [html`${bench.name}`, bench.trouble === undefined ? noRun : trouble, nothing, nothing, nothing];
  }
  const { verdict } = judgement;
  return [
    html`${bench.name}`,
    html`<span class="state ${CLASSES[verdict]}">${SIGNS[verdict]} ${verdict}</span>${trouble}`,
    html`${minute(latest.startedAt)}`,
    html`${counts(lines)}${bar(summary)}`,
    html`${counts(scenarios)}`,
  ];
};

/** The verdict of each bench. */
export const summaryPart = (summaries: readonly Summary[]): Html =>
  section(
    'summary',
    'Summary',
    table(
      [
        'Bench',
        'Verdict on the latest run',
        'Started',
        'Lines of the documents',
        'Scenarios, by their last result',
      ],
      summaries.map(summaryRow),
    ),
    html`<p class="quiet">
      Not run: scenarios that the selection, or the kind of bench, leaves out. Skipped: scenarios that need
      something which the bench lacks.
    </p>`,
  );
