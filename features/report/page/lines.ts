/** Every line of the interface documents with its scenarios and their results, then the scenarios beyond. */
import { html, nothing, type Html } from '../../../src/html/index.js';
import type { BenchRuns, Coverage, LineResult, Result, ShownLine, ShownScenario } from '../coverage.js';
import { shortReason } from '../reason.js';
import { badge, place, section, when } from './parts.js';

const TITLES: Readonly<Record<string, string>> = { dice: 'The dice server', clock: 'The clock server' };

const LEGEND = html`<p class="quiet">
  A line is verified if at least one of its scenarios passed and none failed. A line that is not claimed does
  not count for the verdict. “Decided by the contract” marks what the interface document leaves open.
</p>`;

const tally = ({ status, passed, total }: Result): Html =>
  status !== 'not run' && total > 1 ? html`<div class="quiet">${passed} of ${total} passed</div>` : nothing;

/** The time of a result from before the bench's latest run. */
const older = ({ at }: Result, { runs }: BenchRuns): Html =>
  at > 0 && at < (runs.at(-1)?.startedAt ?? 0) ? when(at) : nothing;

const lineCell = (result: LineResult, bench: BenchRuns): Html => {
  if (result.state === 'not claimed') return html`<td>${badge('not claimed')}</td>`;
  const flaky = result.status === 'flaky' ? badge('flaky') : nothing;
  return html`<td>${badge(result.state)} ${flaky}${tally(result)}${older(result, bench)}</td>`;
};

const scenarioCell = (result: Result, bench: BenchRuns): Html => {
  const reason =
    result.reason === '' ? nothing : html`<span class="reason">${shortReason(result.reason)}</span>`;
  return html`<td>${badge(result.status)}${tally(result)}${older(result, bench)}${reason}</td>`;
};

const cells = <R>(
  results: ReadonlyMap<string, R>,
  benches: readonly BenchRuns[],
  cell: (result: R, bench: BenchRuns) => Html,
): readonly Html[] =>
  benches.flatMap((bench) => {
    const result = results.get(bench.name);
    return result === undefined ? [] : [cell(result, bench)];
  });

const scenarioRow = (
  { name, uri, line, examples, results }: ShownScenario,
  benches: readonly BenchRuns[],
): Html =>
  html` <tr class="scenario">
    <th scope="row">${name}${examples > 1 ? ` (${examples} examples)` : ''} ${place(uri, line)}</th>
    ${cells(results, benches, scenarioCell)}
  </tr>`;

const isNotRun = ({ results }: ShownScenario): boolean =>
  [...results.values()].every(({ status }) => status === 'not run');

/** A row for each scenario with a result, and one for all others. */
const scenarioRows = (scenarios: readonly ShownScenario[], benches: readonly BenchRuns[]): Html => {
  const others = scenarios.filter(isNotRun);
  const count = others.reduce((sum, { examples }) => sum + examples, 0);
  return html`${scenarios.filter((one) => !isNotRun(one)).map((one) => scenarioRow(one, benches))}
  ${
    count === 0
      ? nothing
      : html`<tr class="scenario">
          <th scope="row" colspan="${benches.length + 1}">
            <details>
              <summary>${count} ${count === 1 ? 'scenario' : 'scenarios'} not run</summary>
              <ul>
                ${others.map(({ name, uri, line }) => html`<li>${name} ${place(uri, line)}</li>`)}
              </ul>
            </details>
          </th>
        </tr>`
  }`;
};

const isFailing = ({ results }: ShownLine): boolean =>
  [...results.values()].some(({ state }) => state === 'failing');

const lineRows = (shown: ShownLine, benches: readonly BenchRuns[]): Html => {
  const { tag, line, scenarios, results } = shown;
  const className = isFailing(shown) ? html` class="failing"` : nothing;
  return html` <tbody id="${tag.slice(1)}" ${className}>
    <tr class="line">
      <th scope="rowgroup"><span class="tag">${tag}</span> ${line}</th>
      ${cells(results, benches, lineCell)}
    </tr>
    ${scenarioRows(scenarios, benches)}
  </tbody>`;
};

const table = (head: string, benches: readonly BenchRuns[], bodies: readonly Html[]): Html =>
  html`<div class="scroll">
    <table class="lines" style="--benches:${benches.length}">
      <thead>
        <tr>
          <th scope="col">${head}</th>
          ${benches.map(({ name }) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      ${bodies}
    </table>
  </div>`;

export const linesPart = ({ seeds, beyond }: Coverage, benches: readonly BenchRuns[]): Html =>
  html`${seeds.map(({ name, lines }) =>
    section(
      name,
      `${TITLES[name] ?? name}: ${lines.length} lines of its interface document`,
      LEGEND,
      table(
        'Line of the interface document, and its scenarios',
        benches,
        lines.map((line) => lineRows(line, benches)),
      ),
    ),
  )}${
    beyond.length === 0
      ? nothing
      : section(
          'beyond',
          'Beyond the interface documents',
          html`<p class="quiet">
            Scenarios of what no line of the interface documents states. They count for the verdict like all
            others.
          </p>`,
          table(
            'Feature, and its scenarios',
            benches,
            beyond.map(
              ({ feature, scenarios }) =>
                html`<tbody>
                  <tr class="line">
                    <th scope="rowgroup" colspan="${benches.length + 1}">${feature}</th>
                  </tr>
                  ${scenarioRows(scenarios, benches)}
                </tbody>`,
            ),
          ),
        )
  }`;
