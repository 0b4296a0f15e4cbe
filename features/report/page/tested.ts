/** What was tested, by whom and when. */
import { html, nothing, type Html } from '../../../src/html/index.js';
import type { BenchRuns } from '../coverage.js';
import type { DeviceFacts, RunFacts, ServerFacts } from '../facts.js';
import type { Run } from '../run.js';
import { duration, minute } from '../times.js';
import { section } from './parts.js';

const UNKNOWN = html`<span class="quiet">unknown</span>`;

const orUnknown = (text: string | null | undefined): Html =>
  text === null || text === undefined || text === '' ? UNKNOWN : html`${text}`;

/** `2026-03-01T09:05:00.000Z` as the other times; what is no time as it is. */
const startOf = (started: string): string =>
  Number.isNaN(Date.parse(started)) ? started : minute(Date.parse(started));

const serverRow = ({ name, url, about }: ServerFacts): Html =>
  html`<tr>
    <th scope="row">
      ${name}
      <div class="where">${url}</div>
    </th>
    <td>
      ${orUnknown(about?.name)} ${about?.version ?? ''}
      ${about === null ? nothing : html`<div class="quiet">Node.js ${about.node}</div>`}
    </td>
    <td>${orUnknown(about?.commit)}</td>
    <td>${about === null ? UNKNOWN : startOf(about.started)}</td>
    <td>
      ${about === null || about.radios.length === 0 ? UNKNOWN : about.radios.map((radio) => html`<div>${radio}</div>`)}
    </td>
  </tr>`;

const table = (heads: readonly string[], rows: readonly Html[]): Html =>
  html`<div class="scroll">
    <table class="facts">
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;

/** Each device once, as it was seen last; of a simulation, one device of each kind, maker and firmware. */
const devicesOf = ({ seed }: RunFacts, { devices }: Run): readonly DeviceFacts[] => {
  const sort = ({ kind, address, maker, firmware }: DeviceFacts): string =>
    seed === null ? address : [kind, maker, firmware].join(' ');
  const met = devices.filter((device) => device.met);
  const others = devices.filter(
    ({ address, ...device }) => !device.met && !met.some((seen) => seen.address === address),
  );
  return [...new Map([...met, ...others].map((device) => [sort(device), device])).values()];
};

const deviceRow = ({ kind, address, name, maker, firmware, battery, rssi, met }: DeviceFacts): Html =>
  html`<tr>
    <th scope="row">
      ${[kind, maker ?? ''].join(' ')}
      <div class="where">${address}</div>
    </th>
    <td>${name ?? ''}</td>
    <td>${met ? html`<span class="passed">met</span>` : html`<span class="failed">not met</span>`}</td>
    <td>${orUnknown(firmware)}</td>
    <td>${orUnknown(battery === null ? null : `${battery} %`)}</td>
    <td>${orUnknown(rssi === null ? null : `${rssi} dBm`)}</td>
  </tr>`;

const fact = (name: string, value: string | Html): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;

const whoAndWhen = (
  { station, operator, tester, adapters, seed, selection, profile }: RunFacts,
  run: Run,
): Html => {
  const { startedAt, finishedAt, interrupted } = run;
  const lines = (texts: readonly string[]): Html => html`${texts.map((text) => html`<div>${text}</div>`)}`;
  return html`<dl>
    ${[
      fact('Started', minute(startedAt)),
      fact('Duration', `${duration(finishedAt - startedAt)}${interrupted ? ', then interrupted' : ''}`),
      fact('Station', station),
      fact('Operator', operator ?? html`<span class="quiet">nobody</span>`),
      fact(
        'Claimed',
        profile === 'seed'
          ? 'what the interface documents state alone (profile seed)'
          : 'the whole contract (profile airbench)',
      ),
      fact(
        'Selection',
        selection.length === 0 ? 'none: the whole suite' : html`<code>${selection.join(' ')}</code>`,
      ),
      seed === null ? nothing : fact('Seed of the simulated air', String(seed)),
      adapters.length === 0 ? nothing : fact('Adapters', lines(adapters)),
      fact(
        'Tester’s machine',
        lines([
          `airbench ${tester.airbench}, commit ${tester.commit ?? 'unknown'}`,
          `Node.js ${tester.node}, ${tester.system}`,
        ]),
      ),
    ]}
  </dl>`;
};

const tested = (run: Run, facts: RunFacts): Html => {
  const devices = devicesOf(facts, run);
  return html`${table(['Server', 'Program', 'Commit', 'Started', 'Radios'], facts.servers.map(serverRow))}
  ${
    devices.length === 0
      ? html`<p class="quiet">The run reports no device.</p>`
      : table(['Device', 'Name', '', 'Firmware', 'Battery', 'Signal'], devices.map(deviceRow))
  }
  ${
    facts.seed === null || devices.length === 0
      ? nothing
      : html`<p class="quiet">Virtual devices: one of each kind, maker and firmware is listed.</p>`
  }
  ${whoAndWhen(facts, run)}`;
};

/** `benches`: the shown bench first. */
export const testedPart = (benches: readonly BenchRuns[]): Html =>
  html`${benches.flatMap(({ name, runs }, at) => {
    const run = runs.at(-1);
    if (run?.facts === undefined) return [];
    const content = tested(run, run.facts);
    return at === 0
      ? [section('tested', 'What was tested, by whom and when', content)]
      : [section(`tested-${name}`, `What was tested on the bench ${name}`, content)];
  })}`;
