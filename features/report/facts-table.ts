/** The head of the report: version, machine and devices of the latest run of each profile. */
import type { DeviceFacts, RunFacts, ServerFacts } from './facts.js';
import { html, nothing, type Html } from '../../src/html/index.js';
import type { Profile } from './coverage.js';
import type { Run } from './run.js';
import { duration, minute } from './times.js';

const describe = ({ kind, address, name, maker, firmware, battery, rssi, met }: DeviceFacts): string =>
  [
    [kind, address, name ?? ''].filter((part) => part !== '').join(' '),
    ...(maker === null ? [] : [maker]),
    `firmware ${firmware ?? 'unknown'}`,
    ...(battery === null ? [] : [`battery ${battery} %`]),
    ...(rssi === null ? [] : [`signal ${rssi} dBm`]),
    ...(met ? [] : ['not met']),
  ].join(', ');

/** Each device once, with what was seen of it last; one virtual device of each kind and firmware. */
const devices = ({ seed }: RunFacts, { devices: seen }: Run): readonly string[] => {
  const sort = ({ kind, address, firmware }: DeviceFacts): string =>
    seed === null ? address : `${kind} ${firmware ?? ''}`;
  return [...new Map(seen.map((device) => [sort(device), describe(device)])).values()];
};

const commitIn = (version: string, commit: string | null): string =>
  commit === null ? version : `${version}, commit ${commit}`;

const describeServer = ({ name, url, about }: ServerFacts): readonly string[] => {
  if (about === null) return [`${name} at ${url}: version unknown`];
  const { name: program, version, commit, started, node, radios } = about;
  const head = `${name} at ${url}: ${program} ${commitIn(version, commit)}`;
  return [`${head}, started ${started}, Node.js ${node}`, ...radios.map((radio) => `radio ${radio}`)];
};

const rows: readonly (readonly [string, (facts: RunFacts, run: Run) => readonly string[]])[] = [
  ['Station', ({ station, operator }) => [station, ...(operator === null ? [] : [`operator ${operator}`])]],
  ['Started', (_facts, { startedAt }) => [minute(startedAt)]],
  [
    'Duration',
    (_facts, { startedAt, finishedAt, interrupted }) => [
      `${duration(finishedAt - startedAt)}${interrupted ? ', then interrupted' : ''}`,
    ],
  ],
  ['Under test', ({ servers }) => servers.flatMap(describeServer)],
  ['Tester', ({ tester }) => [`airbench ${commitIn(tester.airbench, tester.commit)}`]],
  ['Node.js, system', ({ tester: { node, system } }) => [`${node}, ${system}`]],
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
