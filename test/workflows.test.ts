/** The workflow of this repository, and the samples for those of others. */
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { parse } from 'yaml';
import { supportedNodes } from '../ci/nodes/supported.js';

const read = (path: string): string => readFileSync(path, 'utf8');

const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Record<string, string> };

interface GithubJob {
  readonly 'runs-on': unknown;
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
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, GithubJob>>;
}

const github = (path: string): GithubWorkflow => parse(read(path), { version: '1.1' }) as GithubWorkflow;

/** The majors in `image: node:24-bookworm` and the like. */
const imageNodes = (text: string): readonly number[] =>
  [...text.matchAll(/\bnode:(\d+)/g)].map(([, major]) => Number(major));

const OURS = '.github/workflows/ci.yml';

const RELEASE = '.github/workflows/release.yml';

for (const path of [OURS, 'ci/github-workflow.yml', 'ci/gitlab-ci.yml']) {
  describe(`The workflow ${path}`, () => {
    it('is YAML, and runs scripts that there are, all that the tests need among them', () => {
      expect(parse(read(path))).to.be.an('object');
      const named = [...read(path).matchAll(/npm run ([\w-]+)/g)].map(([, name]) => name);
      expect(Object.keys(scripts)).to.include.members(named);
      expect(named).to.include.members(['build', 'unit', 'e2e', 'features']);
    });

    it('keeps the reports', () => {
      expect(read(path)).to.contain('reports/');
    });
  });
}

for (const path of [OURS, 'ci/github-workflow.yml']) {
  describe(`The jobs of ${path}`, () => {
    const { jobs } = github(path);
    const steps = Object.values(jobs).flatMap((job) => job.steps);

    it('run on every Node that is supported, and on no other', () => {
      const matrices = Object.values(jobs).flatMap(({ strategy }) => strategy?.matrix.node ?? []);
      expect(matrices).to.deep.equal(supportedNodes());
      const fixed = steps
        .map((step) => step.with?.['node-version'])
        .filter((node) => typeof node === 'number');
      const containers = Object.values(jobs).flatMap(({ container = '' }) => imageNodes(container));
      expect(supportedNodes()).to.include.members([...fixed, ...containers]);
    });
  });
}

describe('The jobs', () => {
  for (const path of [OURS, RELEASE, 'ci/github-workflow.yml']) {
    it(`of ${path} have no right to write, end in time, and name a version of every action`, () => {
      const { jobs, permissions } = github(path);
      const steps = Object.values(jobs).flatMap((job) => job.steps);
      expect(permissions).to.deep.equal({ contents: 'read' });
      for (const [name, job] of Object.entries(jobs))
        expect(job['timeout-minutes'], name).to.be.within(1, 120);
      const actions = steps.flatMap(({ uses }) => uses ?? []);
      expect(actions).to.not.be.empty;
      for (const action of actions) expect(action).to.match(/^(?:\.\/|[\w-]+\/[\w-]+@v\d+)$/);
    });
  }
});

describe(`The workflow ${OURS}, of this repository`, () => {
  const { jobs } = github(OURS);

  it('runs the gate, from a file that there is', () => {
    const [, gate = ''] = /^bash (\S+)$/.exec(jobs['gate']?.steps.at(-1)?.run ?? '') ?? [];
    expect(existsSync(gate), gate).to.equal(true);
  });

  it('runs the tests on macOS and Windows too', () => {
    const matrix: unknown = jobs['tests']?.strategy?.matrix;
    const include = ['macos-latest', 'windows-latest'].map((os) => ({ os, node: 24 }));
    expect(matrix).to.deep.include({ os: ['ubuntu-latest'], include });
    expect(supportedNodes()).to.include.members(include.map(({ node }) => node));
  });
});

describe('The sample ci/gitlab-ci.yml', () => {
  it('runs on every Node that is supported, and on no other', () => {
    const { simulated } = parse(read('ci/gitlab-ci.yml')) as {
      readonly simulated: { readonly parallel: { readonly matrix: unknown } };
    };
    expect(simulated.parallel.matrix).to.deep.equal([{ NODE: supportedNodes().map(String) }]);
    expect(supportedNodes()).to.include.members([...imageNodes(read('ci/gitlab-ci.yml'))]);
  });
});

describe('The scripts of package.json', () => {
  it('have no single quotes, which are nothing to Windows', () => {
    expect(Object.values(scripts).filter((script) => script.includes("'"))).to.deep.equal([]);
  });
});

describe('The Nodes that are supported', () => {
  it('are as README says', () => {
    const majors = supportedNodes();
    expect(majors).to.have.length.above(1);
    expect(read('README.md')).to.contain(
      `Node ${majors.slice(0, -1).join(', ')} or ${String(majors.at(-1))}`,
    );
  });
});
