import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';

const PROGRAMS = {
  load: 'load/main',
  bench: 'benchmark/main',
  'fleet-load': 'fleet/main',
};

describe('The programs that run for a long time', () => {
  afterEach(endPrograms);

  for (const [script, file] of Object.entries(PROGRAMS)) {
    const run = (...args: readonly string[]) => Program.node([`dist/test/${file}.js`, ...args]).ended;

    it(`refuse an unknown flag of npm run ${script} with one message and status 2`, async () => {
      expect(await run('--rain')).to.deep.equal({
        ...{ status: 2, stdout: '' },
        stderr: "error: unknown option '--rain'\n",
      });
    });

    it(`show flags for npm run ${script} -- --help and end with status 0`, async () => {
      const { status, stdout } = await run('--help');
      expect(status).to.equal(0);
      expect(stdout).to.contain(`npm run ${script} -- [options]`);
    });
  }

  const evaluated = (script: string) => {
    const imports = `import { judged } from '${new URL('command.js', import.meta.url).href}';`;
    return Program.node(['--input-type=module', '--eval', imports + script]).ended;
  };

  it('end with status 1 and a list of problems', async () => {
    const { status, stdout } = await evaluated(
      "await judged(() => Promise.resolve(['one event is missing']))();",
    );
    expect({ status, stdout }).to.deep.equal({ status: 1, stdout: 'PROBLEMS:\n- one event is missing' });
  });

  it('end the programs that they have started', async () => {
    const { status, stdout } = await evaluated(
      `import { Program } from '${new URL('../../simulators/testing/internal/program.js', import.meta.url).href}';
       await judged(async () => { Program.node(['--eval', 'setInterval(() => {}, 1000)']); return []; })();`,
    );
    expect({ status, stdout }).to.deep.equal({ status: 0, stdout: '' });
  });
});
