/** The page of the contracts: every line with the scenarios that verify it. One file, which loads no other. */
import { html, nothing, type Html } from '../../src/html/index.js';
import { factsTable } from './facts-table.js';
import {
  stateOf,
  type LineState,
  type Profile,
  type Coverage,
  type Result,
  type ShownLine,
  type ShownScenario,
  type Summary,
} from './coverage.js';
import { style } from './style.js';
import { day, minute } from './times.js';

const SIGNS: Readonly<Record<LineState | Result['status'], string>> = {
  verified: '✓',
  passed: '✓',
  failing: '✗',
  failed: '✗',
  unverified: '○',
  skipped: '↷',
  'not run': '·',
};

const TITLES: Readonly<Record<string, string>> = { dice: 'The dice server', clock: 'The clock server' };

/** The limits of a reason's text. The stack is in the report of the profile. */
const REASON_LINES = 2;
const REASON_LENGTH = 300;

const shortened = (reason: string): string => {
  const lines = reason
    .trim()
    .split('\n')
    .filter((line) => !/^\s+at /.test(line));
  const text = lines.slice(0, REASON_LINES).join('\n').slice(0, REASON_LENGTH);
  return text.length < lines.join('\n').length ? `${text} …` : text;
};

const classOf = (state: string): string => state.replace(' ', '-');

const badge = (state: LineState | Result['status'], more = ''): Html =>
  html`<span class="state ${classOf(state)}"
    ><span aria-hidden="true">${SIGNS[state]}</span> ${state}${more}</span
  >`;

const tally = ({ status, passed, total }: Result): string =>
  status !== 'not run' && total > 1 ? ` ${passed}/${total}` : '';

const when = (at: number): Html => html` <time datetime="${new Date(at).toISOString()}">${day(at)}</time>`;

const lineCell = (result: Result): Html =>
  result.status === 'not run'
    ? html`<td>${badge('not run')}</td>`
    : html`<td>${badge(stateOf(result), tally(result))}${when(result.at)}</td>`;

/** `since`: the start of the profile's latest run. An older result shows its time. */
const scenarioCell = (result: Result, since: number): Html => {
  const reason =
    result.reason === '' ? nothing : html`<span class="reason">${shortened(result.reason)}</span>`;
  const older = result.at > 0 && result.at < since ? when(result.at) : nothing;
  return html`<td>${badge(result.status, tally(result))}${older}${reason}</td>`;
};

const scenarioRow = (
  { name, uri, line, examples, results }: ShownScenario,
  profiles: readonly Profile[],
): Html =>
  html` <tr class="scenario">
    <th scope="row">
      ${name}${examples > 1 ? ` (${examples} examples)` : ''}
      <span class="where">${uri.replace(/^.*[\\/]/, '')}:${line}</span>
    </th>
    ${profiles.flatMap((profile) => {
      const result = results.get(profile.name);
      return result === undefined ? [] : [scenarioCell(result, profile.runs.at(-1)?.startedAt ?? 0)];
    })}
  </tr>`;

const failingProfiles = ({ results }: ShownLine): readonly string[] =>
  [...results].filter(([, result]) => stateOf(result) === 'failing').map(([profile]) => profile);

const lineRows = (shown: ShownLine, profiles: readonly Profile[]): Html => {
  const { tag, line, scenarios, results } = shown;
  const className = failingProfiles(shown).length > 0 ? html` class="failing"` : nothing;
  return html` <tbody id="${tag.slice(1)}" ${className}>
    <tr class="line">
      <th scope="rowgroup"><span class="tag">${tag}</span> ${line}</th>
      ${[...results.values()].map(lineCell)}
    </tr>
    ${scenarios.map((scenario) => scenarioRow(scenario, profiles))}
  </tbody>`;
};

const columnHead = ({ name, runs }: Profile): Html =>
  html`<th scope="col">${runs.length === 0 ? name : html`<a href="${name}/features.html">${name}</a>`}</th>`;

const seedTable = (
  { name, lines }: { readonly name: string; readonly lines: readonly ShownLine[] },
  profiles: readonly Profile[],
): Html =>
  html` <h2 id="${name}">${TITLES[name] ?? name}: ${lines.length} lines</h2>
    <div class="scroll">
      <table class="lines">
        <thead>
          <tr>
            <th scope="col">Line of the contract, and its scenarios</th>
            ${profiles.map(columnHead)}
          </tr>
        </thead>
        ${lines.map((line) => lineRows(line, profiles))}
      </table>
    </div>`;

const bar = ({ lines: { verified, failing, unverified } }: Summary): Html => {
  const share = (count: number): string =>
    ((count * 100) / Math.max(1, verified + failing + unverified)).toFixed(1);
  return html`<div class="bar" aria-hidden="true">
    <i style="width:${share(verified)}%"></i><i class="bad" style="width:${share(failing)}%"></i>
  </div>`;
};

const links = ({ name, runs }: Profile): Html =>
  runs.length === 0
    ? nothing
    : html`<a href="${name}/features.html">HTML</a> · <a href="${name}/junit.xml">JUnit</a> ·
        <a href="${name}/messages.ndjson">messages</a>`;

const summaryRow = (summary: Summary): Html => {
  const { profile, lines, scenarios } = summary;
  const latest = profile.runs.at(-1);
  if (latest === undefined) {
    const reason = profile.trouble ?? 'not run';
    return html`<tr>
      <th scope="row">${profile.name}</th>
      <td colspan="5" class="quiet">${reason}</td>
    </tr>`;
  }
  return html` <tr>
    <th scope="row">${profile.name}</th>
    <td>${badge('verified', ` ${lines.verified}`)}${bar(summary)}</td>
    <td>
      ${lines.failing === 0 ? html`<span class="quiet">0</span>` : badge('failing', ` ${lines.failing}`)}
    </td>
    <td>
      ${lines.unverified === 0 ? html`<span class="quiet">0</span>` : badge('unverified', ` ${lines.unverified}`)}
    </td>
    <td>
      ${scenarios.passed} passed, ${scenarios.failed} failed, ${scenarios.skipped} skipped,
      ${scenarios['not run']} not run
    </td>
    <td>${links(profile)}${profile.trouble === undefined ? nothing : html`<div>${profile.trouble}</div>`}</td>
  </tr>`;
};

const summaryTable = (summaries: readonly Summary[]): Html =>
  html` <h2 id="summary">Summary</h2>
    <div class="scroll">
      <table class="summary">
        <thead>
          <tr>
            <th scope="col">Profile</th>
            <th scope="col">Lines verified</th>
            <th scope="col">failing</th>
            <th scope="col">unverified</th>
            <th scope="col">Scenarios, by their last result</th>
            <th scope="col">Latest run</th>
          </tr>
        </thead>
        <tbody>
          ${summaries.map(summaryRow)}
        </tbody>
      </table>
    </div>`;

/** The failing lines, and failures outside any scenario. */
const troubles = ({ seeds, summaries }: Coverage): Html => {
  const failing = seeds.flatMap(({ lines }) => lines).filter((line) => failingProfiles(line).length > 0);
  const outside = summaries.flatMap(({ profile }) =>
    (profile.runs.at(-1)?.troubles ?? []).map((trouble) => `${profile.name}: ${shortened(trouble)}`),
  );
  if (failing.length + outside.length === 0) return nothing;
  return html`<div class="trouble">
    <strong>Failing</strong>
    <ul>
      ${[
        ...failing.map(
          (line) =>
            html`<li>
              <a href="#${line.tag.slice(1)}">${line.tag}</a> ${line.line}
              <span class="quiet">${failingProfiles(line).join(', ')}</span>
            </li>`,
        ),
        ...outside.map((trouble) => html`<li>outside any scenario, ${trouble}</li>`),
      ]}
    </ul>
  </div>`;
};

/** The whole page. `madeAt`: milliseconds since 1970. */
export const contractPage = (coverage: Coverage, madeAt: number): string => {
  const profiles = coverage.summaries.map(({ profile }) => profile);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>airbench: the contracts and their coverage</title>
        ${style}
      </head>
      <body>
        <header>
          <h1>The contracts and their coverage</h1>
          <p class="quiet">
            Every line of both interface documents, the scenarios that verify it, and their last result per
            profile. A line is verified if at least one of its scenarios passed and none failed; 5/6: five of
            its six scenarios passed. Made ${minute(madeAt)}; all times are UTC.
          </p>
          ${troubles(coverage)}
        </header>
        <main>
          ${summaryTable(coverage.summaries)} ${factsTable(profiles)}
          ${coverage.seeds.map((seed) => seedTable(seed, profiles))}
        </main>
      </body>
    </html> `.text;
};
