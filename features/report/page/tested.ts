/** The tested servers and devices, the tester and the time. */
import { html, nothing, type Html } from '../../../src/html/index.js';
import type { BenchRuns } from '../coverage.js';
import { nounOf, type DeviceFacts, type RunFacts, type ServerFacts } from '../facts.js';
import type { Run } from '../run.js';
import { duration, minute } from '../times.js';
import { CLAIMS, section, table } from './parts.js';

const UNKNOWN = html`<span class="quiet">unknown</span>`;

const orUnknown = (text: string | null | undefined): Html =>
  text === null || text === undefined || text === '' ? UNKNOWN : html`${text}`;

/** `2026-03-01T09:05:00.000Z` as the other times; other texts unchanged. */
const startOf = (started: string): string =>
  Number.isNaN(Date.parse(started)) ? started : minute(Date.parse(started));

const serverRow = ({ name, url, about }: ServerFacts): readonly Html[] => [
  html`${name}
    <div class="where">${url}</div>`,
  html`${orUnknown(about?.name)} ${about?.version ?? ''}
  ${about === null ? nothing : html`<div class="quiet">Node.js ${about.node}</div>`}`,
  orUnknown(about?.commit),
  about === null ? UNKNOWN : html`${startOf(about.started)}`,
  about === null || about.radios.length === 0
    ? UNKNOWN
    : html`${about.radios.map((radio) => html`<div>${radio}</div>`)}`,
];

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

const deviceRow = (device: DeviceFacts): readonly Html[] => [
  html`${nounOf(device)} ${device.maker ?? ''}
    <div class="where">${device.address}</div>`,
  orUnknown(device.name),
  device.met ? html`<span class="passed">yes</span>` : html`<span class="failed">no</span>`,
  orUnknown(device.firmware),
  orUnknown(device.battery === null ? null : `${device.battery} %`),
  orUnknown(device.rssi === null ? null : `${device.rssi} dBm`),
];

const fact = (name: string, value: string | Html): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;

const whoAndWhen = (
  { station, operator, tester, adapters, seed, selection, profile, servers }: RunFacts,
  run: Run,
): Html => {
  const { startedAt, finishedAt, interrupted } = run;
  const lines = (texts: readonly string[]): Html => html`${texts.map((text) => html`<div>${text}</div>`)}`;
  return html`<dl>
    ${[
      fact('Started', minute(startedAt)),
      fact('Duration', `${duration(finishedAt - startedAt)}${interrupted ? ', then interrupted' : ''}`),
      fact('Station', station),
      fact('Operator', operator ?? html`<span class="quiet">not named</span>`),
      fact('Claimed', CLAIMS[profile]),
      fact(
        'Selection',
        selection.length === 0 ? 'none: the whole suite' : html`<code>${selection.join(' ')}</code>`,
      ),
      seed === null ? nothing : fact('Seed of the simulation', String(seed)),
      ...servers
        .filter(({ name }) => name === 'control API')
        .map(({ url }) => fact('Control API of the simulation', url)),
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
  const servers = facts.servers.filter(({ name }) => name !== 'control API');
  return html`${table(['Server', 'Program', 'Commit', 'Started', 'Radios'], servers.map(serverRow))}
  ${
    devices.length === 0
      ? html`<p class="quiet">The run reports no device.</p>`
      : table(['Device', 'Name', 'Heard', 'Firmware', 'Battery', 'Signal'], devices.map(deviceRow))
  }
  ${
    facts.seed === null || devices.length === 0
      ? nothing
      : html`<p class="quiet">Virtual devices: one of each kind, maker and firmware is listed.</p>`
  }
  ${whoAndWhen(facts, run)}`;
};

/** `isShown`: whether the verdict on the page's top is about this bench. */
export const testedPart = ({ name, runs }: BenchRuns, isShown: boolean): Html => {
  const run = runs.at(-1);
  if (run?.facts === undefined) return nothing;
  const content = tested(run, run.facts);
  return isShown
    ? section('tested', 'What was tested, by whom and when', content)
    : section(`tested-${name}`, `What was tested on the bench ${name}`, content);
};
