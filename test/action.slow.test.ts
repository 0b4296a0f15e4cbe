/** Runs the steps of the action for GitHub like a runner. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { parse } from 'yaml';
import { newFolder } from './support/folders.js';
import { Program, type Ended } from '../simulators/testing/internal/program.js';
import { requireGuest, requireProgram } from './support/require.js';

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly shell?: string;
  readonly 'working-directory'?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
}

interface Action {
  readonly name: string;
  readonly description: string;
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const TEXT = readFileSync('action.yml', 'utf8');

const action = parse(TEXT) as Action;
const { steps } = action.runs;
const [refuseOthers = expect.fail('no steps')] = steps;

/** A runner without a cache, for `${{ NAME }}` and the condition `NAME != 'TEXT'` alone. */
class Runner {
  readonly temp = newFolder();
  readonly workspace = join(newFolder(), 'a project');
  private readonly outputs = new Map<string, string>();
  private path = [dirname(process.execPath), '/usr/bin', '/bin'].join(':');

  constructor(
    private readonly inputs: Readonly<Record<string, string>>,
    private readonly variables = { RUNNER_OS: 'Linux', RUNNER_ARCH: 'X64' },
  ) {
    mkdirSync(this.workspace);
  }

  private value(name: string): string {
    const [context, ...rest] = name.split('.');
    if (context === 'inputs') return this.inputs[rest.join()] ?? action.inputs[rest.join()]?.default ?? '';
    return this.outputs.get(name) ?? '';
  }

  private filled(text: string): string {
    return text.replaceAll(/\$\{\{ (\S+) \}\}/g, (_, name: string) => this.value(name));
  }

  private isEnabled({ if: condition }: Step): boolean {
    if (condition === undefined) return true;
    const [, name, text] = /^(\S+) != '(.*)'$/.exec(condition) ?? expect.fail(condition);
    return this.value(name ?? '') !== text;
  }

  async step(step: Step): Promise<Ended> {
    const files = { GITHUB_OUTPUT: join(this.temp, 'output'), GITHUB_PATH: join(this.temp, 'path') };
    for (const file of Object.values(files)) writeFileSync(file, '');
    const stepEnv = Object.entries(step.env ?? {}).map(([name, text]) => [name, this.filled(text)]);
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run ?? ''], {
      cwd: join(this.workspace, this.filled(step['working-directory'] ?? '.')),
      env: {
        ...{ ...process.env, PATH: this.path, ...this.variables },
        ...{ RUNNER_TEMP: this.temp, GITHUB_ACTION_PATH: process.cwd() },
        ...{ ...files, ...(Object.fromEntries(stepEnv) as Record<string, string>) },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = await Program.of(child).ended;
    for (const [, name = '', value = ''] of readFileSync(files.GITHUB_OUTPUT, 'utf8').matchAll(
      /^(\w+)=(.*)$/gm,
    ))
      this.outputs.set(`steps.${step.id ?? ''}.outputs.${name}`, value);
    this.path = [...readFileSync(files.GITHUB_PATH, 'utf8').trim().split('\n'), this.path].join(':');
    return ended;
  }

  /** Resolves with the output of all steps. */
  async run(): Promise<string> {
    let printed = '';
    for (const step of steps) {
      if (step.run === undefined || !this.isEnabled(step)) continue;
      const { status, stdout, stderr } = await this.step(step);
      expect(status, `${step.run}\n${stderr}`).to.equal(0);
      printed += `${stdout}\n`;
    }
    return printed;
  }
}

const COMMANDS = {
  ...{ flags: '--dice 0 --clocks 1', 'working-directory': 'sub' },
  run: 'pwd\nbluetoothctl --timeout 5 scan on | grep -o "Qingping.*"',
};

/** Expects the commands to run in their folder, in a guest with a virtual clock. */
const expectDevice = async (runner: Runner): Promise<void> => {
  const folder = join(runner.workspace, 'sub');
  mkdirSync(folder);
  expect((await runner.run()).split('\n')).to.include.members([folder, 'Qingping Alarm Clock']);
};

describe('The action for GitHub', () => {
  it('is composite, and its steps name their shell or a version of an action', () => {
    expect(action).to.include.keys('name', 'description', 'branding');
    expect(action.runs.using).to.equal('composite');
    for (const { run, shell, uses } of steps)
      if (run === undefined) expect(uses).to.match(/^[\w-]+\/[\w-]+@v\d+$/);
      else expect(shell).to.equal('bash');
  });

  it('uses exactly the described inputs, and no input in the text of a script', () => {
    const used = [...TEXT.matchAll(/\binputs\.([\w-]+)/g)].map(([, name]) => name);
    expect([...new Set(used)]).to.have.members(Object.keys(action.inputs));
    expect(steps.filter(({ run = '' }) => run.includes('${{'))).to.deep.equal([]);
  });

  for (const [os, arch] of [
    ['macOS', 'ARM64'],
    ['Linux', 'ARM64'],
    ['Windows', 'X64'],
  ] as const)
    it(`refuses a runner of ${os} and ${arch} in its first step`, async () => {
      const { status, stdout } = await new Runner({}, { RUNNER_OS: os, RUNNER_ARCH: arch }).step(
        refuseOthers,
      );
      expect(status).to.equal(1);
      expect(stdout).to.match(
        new RegExp(`^::error::the guest .* needs a runner of Linux and X64, .* is ${os} and ${arch}$`),
      );
    });

  it('installs packages from files, and runs commands in a guest with a virtual device', async function () {
    requireProgram(this, 'npm');
    requireGuest(this, []);
    const runner = new Runner({ ...COMMANDS, packages: './airbench.tgz' });
    execFileSync('npm', ['pack', '--silent', '--pack-destination', runner.temp]);
    const [packed = ''] = readdirSync(runner.temp).filter((name) => name.endsWith('.tgz'));
    renameSync(join(runner.temp, packed), join(runner.workspace, 'airbench.tgz'));
    await expectDevice(runner);
  });

  it('packs airbench and its guest from its checkout by default', async function () {
    requireProgram(this, 'npm');
    requireGuest(this, []);
    const runner = new Runner(COMMANDS);
    await expectDevice(runner);
    const installed = readdirSync(join(runner.temp, 'airbench/node_modules'));
    expect(installed).to.include.members(['airbench', 'airbench-guest']);
  }).timeout(1_800_000);
});
