/** The head of the report: version, machine and devices of the latest run of each profile. */
import type { DeviceFacts, RunFacts } from './facts.js';
import { html, nothing, type Html } from '../../src/html/index.js';
import type { Profile } from './coverage.js';
import type { Run } from './run.js';
import { duration, minute } from './times.js';

const describe = ({ kind, address, name, firmware }: DeviceFacts): string =>
  `${kind} ${address}${name === null || name === '' ? '' : ` ${name}`}, firmware ${firmware ?? 'unknown'}`;

const sort = ({ kind, firmware }: DeviceFacts): string => `${kind} ${firmware ?? ''}`;

/** The devices of the bench, with the firmware that they reported later; then one device of each further kind and firmware. */
const devices = ({ devices: listed }: RunFacts, { devices: seen }: Run): readonly string[] => {
  const benchDevices = listed.map((device) => {
    const later = seen.find(({ address, firmware }) => address === device.address && firmware !== null);
    return { ...device, firmware: later?.firmware ?? device.firmware };
  });
  const sorts = new Set(benchDevices.map(sort));
  const further = seen
    .filter(({ address }) => !listed.some((device) => device.address === address))
    .filter((device) => !sorts.has(sort(device)) && sorts.add(sort(device)));
  return [...benchDevices.map(describe), ...further.map((device) => `${describe(device)}; others like it`)];
};

const rows: readonly (readonly [string, (facts: RunFacts, run: Run) => readonly string[]])[] = [
  ['Station', ({ station }) => [station]],
  ['Started', (_facts, { startedAt }) => [minute(startedAt)]],
  [
    'Duration',
    (_facts, { startedAt, finishedAt, interrupted }) => [
      `${duration(finishedAt - startedAt)}${interrupted ? ', then interrupted' : ''}`,
    ],
  ],
  ['airbench', ({ airbench, commit }) => [commit === null ? airbench : `${airbench}, commit ${commit}`]],
  ['noble, bleno', ({ noble, bleno }) => [`${noble}, ${bleno}`]],
  ['Node.js, system', ({ node, system }) => [`${node}, ${system}`]],
  ['Adapters', ({ adapters }) => adapters],
  ['Devices', devices],
  ['Seed', ({ seed }) => (seed === null ? [] : [String(seed)])],
];

const cell = (lines: readonly string[]): Html =>
  html`<td>${lines.length === 0 ? '–' : lines.map((line) => html`<div>${line}</div>`)}</td>`;

/** A column for each profile that was run. */
export const factsTable = (profiles: readonly Profile[]): Html => {
  const runs = profiles.flatMap(({ name, runs }) => {
    const run = runs.at(-1);
    return run?.facts === undefined ? [] : [{ name, run, facts: run.facts }];
  });
  if (runs.length === 0) return nothing;
  return html` <h2 id="runs">The latest runs</h2>
    <div class="scroll">
      <table class="facts">
        <thead>
          <tr>
            <th scope="col">Run</th>
            ${runs.map(({ name }) => html`<th scope="col">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ([title, lines]) =>
              html`<tr>
                <th scope="row">${title}</th>
                ${runs.map(({ facts, run }) => cell(lines(facts, run)))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
};
