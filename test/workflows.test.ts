/** The workflows of this repository, and the samples for other repositories. */
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { it } from 'mocha';
import { parse } from 'yaml';
import { supportedNodes } from '../ci/nodes/supported.js';

const read = (path: string): string => readFileSync(path, 'utf8');

const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Record<string, string> };

interface GithubJob {
  readonly 'timeout-minutes'?: number;
  readonly container?: string;
  readonly strategy?: { readonly matrix: { readonly node: unknown } };
  readonly steps: readonly {
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Readonly<Record<string, unknown>>;
  }[];
}

interface GithubWorkflow {
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, GithubJob>>;
}

const github = (path: string): GithubWorkflow => parse(read(path), { version: '1.1' }) as GithubWorkflow;

/** The majors in text such as `image: node:24-bookworm`. */
const imageNodes = (text: string): readonly number[] =>
  [...text.matchAll(/\bnode:(\d+)/g)].map(([, major]) => Number(major));

const OURS = '.github/workflows/ci.yml';

const RELEASE = '.github/workflows/release.yml';

const SAMPLE = 'ci/github-workflow.yml';

const GITLAB = 'ci/gitlab-ci.yml';

for (const path of [OURS, SAMPLE, GITLAB])
  it(`${path} runs existing scripts, with all scripts of the tests, and keeps the reports`, () => {
    expect(parse(read(path))).to.be.an('object');
    const named = [...read(path).matchAll(/npm run ([\w-]+)/g)].map(([, name]) => name);
    expect(Object.keys(scripts)).to.include.members(named);
    expect(named).to.include.members(['build', 'unit', 'e2e', 'features']);
    expect(read(path)).to.contain('reports/');
  });

for (const path of [OURS, SAMPLE])
  it(`${path} runs on the supported versions of Node.js alone`, () => {
    const jobs = Object.values(github(path).jobs);
    expect(jobs.flatMap(({ strategy }) => strategy?.matrix.node ?? [])).to.deep.equal(supportedNodes());
    const fixed = jobs
      .flatMap(({ steps }) => steps.map((step) => step.with?.['node-version']))
      .filter((node) => typeof node === 'number');
    const containers = jobs.flatMap(({ container = '' }) => imageNodes(container));
    expect(supportedNodes()).to.include.members([...fixed, ...containers]);
  });

it(`${GITLAB} runs on the supported versions of Node.js alone`, () => {
  const { simulated } = parse(read(GITLAB)) as {
    readonly simulated: { readonly parallel: { readonly matrix: unknown } };
  };
  expect(simulated.parallel.matrix).to.deep.equal([{ NODE: supportedNodes().map(String) }]);
  expect(supportedNodes()).to.include.members([...imageNodes(read(GITLAB))]);
});

for (const path of [OURS, RELEASE, SAMPLE])
  it(`${path} has no write permission, ends in time, and names a version of every action`, () => {
    const { jobs, permissions } = github(path);
    expect(permissions).to.deep.equal({ contents: 'read' });
    for (const [name, job] of Object.entries(jobs)) expect(job['timeout-minutes'], name).to.be.within(1, 120);
    const actions = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    expect(actions).to.not.be.empty;
    for (const action of actions) expect(action).to.match(/^(?:\.\/|[\w-]+\/[\w-]+@v\d+)$/);
  });

it(`${OURS} runs the gate, and the tests on macOS and Windows too`, () => {
  const { jobs } = github(OURS);
  const [, gate = ''] = /^bash (\S+)$/.exec(jobs['gate']?.steps.at(-1)?.run ?? '') ?? [];
  expect(existsSync(gate), gate).to.equal(true);
  const include = ['macos-latest', 'windows-latest'].map((os) => ({ os, node: 24 }));
  expect(jobs['tests']?.strategy?.matrix).to.deep.include({ os: ['ubuntu-latest'], include });
  expect(supportedNodes()).to.include.members(include.map(({ node }) => node));
});

it('The scripts of package.json have no single quotes, which have no meaning on Windows', () => {
  expect(Object.values(scripts).filter((script) => script.includes("'"))).to.deep.equal([]);
});

it('README names the supported versions of Node.js', () => {
  const majors = supportedNodes();
  expect(majors).to.have.length.above(1);
  const names = `Node ${majors.slice(0, -1).join(', ')} or ${String(majors.at(-1))}`;
  expect(read('README.md')).to.contain(names);
});
