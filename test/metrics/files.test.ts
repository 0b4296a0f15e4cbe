import { execFile, spawnSync } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { parse, stringify } from 'yaml';
import { openMetrics } from '../../src/metrics/metrics.js';
import { openProcessMetrics } from '../../src/metrics/process.js';
import { eachDie, type DiceFixture } from '../support/dice-fixture.js';
import { metricsText } from '../support/figures.js';
import { newFolder } from '../support/folders.js';
import { requireProgram } from '../support/require.js';

const run = promisify(execFile);

const FOLDER = 'docs/production';

interface Dashboard {
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
  readonly panels: readonly {
    readonly title: string;
    readonly type: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

/** For each alert: the minutes when it is silent and when it fires, its labels and its text; then its series, one value per minute. */
const ALERTS = `
AirbenchDown | 6 | 8 | severity=critical job=airbench instance=dice:3000 | dice:3000 does not answer
up{job="airbench", instance="dice:3000"} 1x4 0x20

AirbenchAdapterOff | 4 | 7 | severity=critical state=poweredOn instance=a | the Bluetooth adapter of a is off: no device can be reached
airbench_radio_adapter_state{instance="a", state="poweredOn"} 1x4 0x20
airbench_radio_adapter_state{instance="a", state="poweredOff"} 0x4 1x20

AirbenchDeviceLost | 8 | 11 | severity=warning state=lost instance=a | 2 devices of a are lost: out of range, off, or without a battery
airbench_sessions{instance="a", state="lost"} 0x4 2x20
airbench_sessions{instance="a", state="connected"} 3x30

AirbenchRadioFailing | 9 | 20 | severity=warning instance=a | 50% of what a does by radio fails
airbench_radio_operations_total{instance="a", operation="write", result="ok"} 0+30x30
airbench_radio_operations_total{instance="a", operation="write", result="timeout"} 0+30x30
airbench_radio_operations_total{instance="b", operation="write", result="ok"} 0+30x30
airbench_radio_operations_total{instance="b", operation="connect", result="closed"} 0+30x30

AirbenchUnstableLinks | 10 | 60 | severity=warning instance=a | devices of a were lost and came back 60 times in an hour
airbench_reconnects_total{instance="a"} 0+1x60
airbench_reconnects_total{instance="b"} 0+0x50 1 2 3 4 5 6 7 8 9 10

AirbenchDefect | 3 30 | 6 | severity=warning instance=a | a failed on a request: its log says more
airbench_http_errors_total{instance="a", operation="/api/led", code="internal_error"} _x4 1x40
airbench_http_errors_total{instance="b", operation="/api/led", code="timeout"} _x4 1+1x40

AirbenchSlowClients | 2 | 20 | severity=warning instance=a | a closed WebSockets again and again: a client reads too slowly
airbench_websockets_closed_total{instance="a", path="/ws", cause="slow_reader"} 0+1x30
airbench_websockets_closed_total{instance="b", path="/ws", cause="client"} 0+50x30

AirbenchAccessRefused | 4 | 20 | severity=warning instance=a | somebody asks a without the right token, 2 times a second
airbench_http_errors_total{instance="a", operation="/api/scan", code="unauthorized"} 0+120x30
airbench_http_errors_total{instance="b", operation="/api/scan", code="unauthorized"} 0+1x30

AirbenchEventLoopLag | 8 | 11 | severity=warning instance=a | a is slow to do anything: its machine has too much to do
nodejs_eventloop_lag_p99_seconds{instance="a"} 0.01x4 0.5x20
nodejs_eventloop_lag_p99_seconds{instance="b"} 0.1x30`;

/** The cases in the format of `promtool test rules`. */
const alertTests = ALERTS.trim()
  .split('\n\n')
  .map((block) => {
    const [head = '', ...series] = block.split('\n');
    const [alertname = '', silent = '', fires = '', labels = '', summary = ''] = head.split(' | ');
    const exp_labels = Object.fromEntries(labels.split(' ').map((label) => label.split('='))) as object;
    return {
      alertname,
      interval: '1m',
      input_series: series.map((line) => ({
        series: line.slice(0, line.indexOf('}') + 1),
        values: line.slice(line.indexOf('}') + 2),
      })),
      alert_rule_test: [
        ...silent.split(' ').map((minute) => ({ eval_time: `${minute}m`, alertname })),
        { eval_time: `${fires}m`, alertname, exp_alerts: [{ exp_labels, exp_annotations: { summary } }] },
      ],
    };
  });

const dashboard = async (): Promise<Dashboard> =>
  JSON.parse(await readFile(`${FOLDER}/grafana-dashboard.json`, 'utf8')) as Dashboard;

const rules = async (): Promise<Rules['groups'][number]['rules']> =>
  (parse(await readFile(`${FOLDER}/alerts.yml`, 'utf8')) as Rules).groups.flatMap((group) => group.rules);

/** The expressions, with Grafana's variables replaced. */
const expressions = async (): Promise<readonly string[]> =>
  (await dashboard()).panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*')),
  );

/** The names of metrics in `text`; the names of histograms lose their endings. */
const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:airbench|nodejs|process)_\w+/g)].map(([name]) =>
    name.replace(/_(?:bucket|sum|count)$/, ''),
  );

describe('The files for Prometheus and Grafana', () => {
  let metricNames: ReadonlySet<string>;
  before(async () => {
    const { text, registry } = openProcessMetrics('test');
    await text();
    metricNames = new Set(registry.getMetricsAsArray().map(({ name }) => name));
  });

  const promtool = (...args: readonly string[]): Promise<unknown> => run('promtool', args);

  describe('of a server', () => {
    let fixture: DiceFixture;
    let id: string;
    eachDie((connected) => ({ fixture, id } = connected));

    it('pass the checks of promtool for metrics', async function () {
      requireProgram(this, 'promtool');
      await fixture.post('/api/led', { session_id: id, led1: 'FF0000' });
      await fixture.get('/nothing');
      const listener = await fixture.listen();
      const texts = [await metricsText(fixture.server.port), await openProcessMetrics('test').text()];
      listener.socket.close();
      for (const input of texts) {
        const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
        expect([status, stderr]).to.deep.equal([0, '']);
      }
    });
  });

  it('are a configuration and rules that promtool accepts', async function () {
    requireProgram(this, 'promtool');
    await promtool('check', 'config', `${FOLDER}/prometheus.yml`);
    await promtool('check', 'rules', `${FOLDER}/alerts.yml`);
  });

  it('alert at the right time', async function () {
    requireProgram(this, 'promtool');
    const folder = newFolder();
    await copyFile(`${FOLDER}/alerts.yml`, join(folder, 'alerts.yml'));
    const file = join(folder, 'alerts.test.yml');
    const tests = alertTests.map(({ alertname: _, ...test }) => test);
    await writeFile(file, stringify({ rule_files: ['alerts.yml'], evaluation_interval: '1m', tests }));
    await promtool('test', 'rules', file);
    expect((await rules()).map(({ alert }) => alert)).to.have.members(
      alertTests.map(({ alertname }) => alertname),
    );
  });

  it('have expressions on the dashboard that promtool accepts', async function () {
    requireProgram(this, 'promtool');
    const recorded = (await expressions()).map((expr, at) => ({ record: `panel:target:${at}`, expr }));
    expect(recorded).to.have.length.above(15);
    const file = join(newFolder(), 'dashboard.yml');
    await writeFile(file, stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
    await promtool('check', 'rules', file);
  });

  it('name existing metrics', async () => {
    const { templating } = await dashboard();
    const texts = [
      ...(await expressions()),
      ...templating.list.map(({ definition = '' }) => definition),
      ...(await rules()).map(({ expr }) => expr),
    ];
    const names = texts.flatMap(namesIn);
    expect(names).to.have.length.above(20);
    expect(names.filter((name) => !metricNames.has(name))).to.deep.equal([]);
  });

  it('show all instances, on a small number of panels', async () => {
    const { templating, panels } = await dashboard();
    expect(templating.list.map(({ name }) => name)).to.deep.equal(['datasource', 'server', 'instance']);
    const shown = panels.filter(({ type }) => type !== 'row');
    expect(shown).to.have.length.within(10, 16);
    for (const { title, targets = [] } of shown) {
      for (const { expr } of targets) expect(expr, title).to.include('instance=~"$instance"');
    }
  });

  it('are documented, each metric with its help and its labels', async () => {
    const text = await readFile('docs/production.md', 'utf8');
    const documented = [...text.matchAll(/^\| `(airbench_\w+)` +\| (\w+) +\| (.*?) +\| (.*?) +\|$/gm)].map(
      ([, name, type, labels, help]) => ({ name, type, labels: labels ?? '', help }),
    );
    const metrics = await openMetrics('test').registry.getMetricsAsJSON();
    expect(documented).to.deep.equal(
      metrics.map(({ name, type, help }) => ({ name, type: String(type), labels: labelsOf(name), help })),
    );
  });

  const labelsOf = (name: string): string => {
    const metric: unknown = openMetrics('test').registry.getSingleMetric(name);
    const labels: unknown =
      typeof metric === 'object' && metric !== null ? Reflect.get(metric, 'labelNames') : [];
    return (Array.isArray(labels) ? labels : []).map((label) => `\`${label}\``).join(', ');
  };
});
