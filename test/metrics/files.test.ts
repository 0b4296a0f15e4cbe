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

interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts?: unknown }[];
  }[];
}

const dashboard = async (): Promise<Dashboard> =>
  JSON.parse(await readFile(`${FOLDER}/grafana-dashboard.json`, 'utf8')) as Dashboard;

const rules = async (): Promise<Rules['groups'][number]['rules']> =>
  (parse(await readFile(`${FOLDER}/alerts.yml`, 'utf8')) as Rules).groups.flatMap((group) => group.rules);

/** A query in Grafana's form. */
const expressions = async (): Promise<readonly string[]> =>
  (await dashboard()).panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*')),
  );

/** The names of metrics in `text`, those of histograms without their endings. */
const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:airbench|nodejs|process)_\w+/g)].map(([name]) =>
    name.replace(/_(?:bucket|sum|count)$/, ''),
  );

describe('the files for Prometheus and Grafana', () => {
  let known: ReadonlySet<string>;
  before(async () => {
    const { text, registry } = openProcessMetrics('test');
    await text();
    known = new Set(registry.getMetricsAsArray().map(({ name }) => name));
  });

  const promtool = (...args: readonly string[]): Promise<unknown> => run('promtool', args);

  describe('of a server', () => {
    let fixture: DiceFixture;
    let id: string;
    eachDie((connected) => ({ fixture, id } = connected));

    it('are what promtool takes for good metrics', async function () {
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

  it('are a configuration and rules that promtool takes', async function () {
    requireProgram(this, 'promtool');
    await promtool('check', 'config', `${FOLDER}/prometheus.yml`);
    await promtool('check', 'rules', `${FOLDER}/alerts.yml`);
    expect((await rules()).length).to.equal(9);
  });

  it('alert when they should, and not before', async function () {
    requireProgram(this, 'promtool');
    const folder = newFolder();
    await copyFile(`${FOLDER}/alerts.yml`, join(folder, 'alerts.yml'));
    await copyFile('test/metrics/alerts.test.yml', join(folder, 'alerts.test.yml'));
    await promtool('test', 'rules', join(folder, 'alerts.test.yml'));
    const { tests } = parse(await readFile('test/metrics/alerts.test.yml', 'utf8')) as RuleTests;
    const cases = tests.flatMap(({ alert_rule_test }) => alert_rule_test);
    for (const { alert } of await rules()) {
      const own = cases.filter(({ alertname }) => alertname === alert);
      expect(own.map(({ exp_alerts }) => exp_alerts !== undefined)).to.include.members([true, false], alert);
    }
  });

  it('have expressions on the dashboard that promtool takes', async function () {
    requireProgram(this, 'promtool');
    const recorded = (await expressions()).map((expr, at) => ({ record: `panel:target:${at}`, expr }));
    expect(recorded).to.have.length.above(15);
    const file = join(newFolder(), 'dashboard.yml');
    await writeFile(file, stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
    await promtool('check', 'rules', file);
  });

  it('name no metric that there is not', async () => {
    const { templating } = await dashboard();
    const texts = [
      ...(await expressions()),
      ...templating.list.map(({ definition = '' }) => definition),
      ...(await rules()).map(({ expr }) => expr),
    ];
    const names = texts.flatMap(namesIn);
    expect(names).to.have.length.above(20);
    expect(names.filter((name) => !known.has(name))).to.deep.equal([]);
  });

  it('show all instances, on no more panels than a person looks at', async () => {
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
    const own = await openMetrics('test').registry.getMetricsAsJSON();
    expect(documented).to.deep.equal(
      own.map(({ name, type, help }) => ({
        name,
        type: String(type),
        labels: labelsOf(name),
        help,
      })),
    );
  });

  const labelsOf = (name: string): string => {
    const metric: unknown = openMetrics('test').registry.getSingleMetric(name);
    const labels: unknown =
      typeof metric === 'object' && metric !== null ? Reflect.get(metric, 'labelNames') : [];
    return (Array.isArray(labels) ? labels : []).map((label) => `\`${label}\``).join(', ');
  };
});
