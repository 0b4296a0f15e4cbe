/** The messages of profiles that cannot run, and status 2. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { CannotRun } from '../../features/bench/cannot-run.js';
import { openBench } from '../../features/support/profile.js';
import { newFolder } from '../support/folders.js';
import { endPrograms } from '../../simulators/testing/internal/program.js';
import { startFeatures } from '../report/thrown-away.js';
import { requireLinux } from '../support/require.js';
import { rows } from '../support/rows.js';

const PLACES = ['BENCH', 'DICE_URL', 'CLOCK_URL', 'CONTROL_URL'] as const;

type Places = Partial<Record<(typeof PLACES)[number], string>>;

describe('A profile that cannot run prints its reason in one message:', () => {
  let folder: string;
  const environment = { ...process.env };

  const deletePlaces = (): void => {
    for (const name of PLACES) Reflect.deleteProperty(process.env, name);
  };

  before(() => {
    folder = newFolder();
  });
  beforeEach(deletePlaces);
  afterEach(() => {
    deletePlaces();
    Object.assign(process.env, environment);
  });
  after(endPrograms);

  const benchFile = (content: string): string => {
    const path = join(folder, 'bench.json');
    writeFileSync(path, content);
    return path;
  };

  const refusal = async (profile: string, places: Places): Promise<string> => {
    Object.assign(process.env, places);
    try {
      await openBench({ profile, patience: 1_000, maker: 'GoDice' });
    } catch (error) {
      if (error instanceof CannotRun) return error.message;
      throw error;
    }
    return 'it can run';
  };

  // No machine has so many adapters.
  const DICE = '"servers":{"dice":{"hci":"hci4711"}}';
  const described = rows(
    3,
    `
    physical | -                             | physical needs a bench file
    bench    | -                             | bench needs a bench file
    attach   | -                             | and DICE_URL is missing
    physical | {${DICE},"dice":[{}]}         | dice[0].address is missing
    physical | {${DICE}}                     | servers.dice.hci is hci4711, but this machine has
    bench    | {"servers":{"dice":{"hci":"hci4712"}},"air":{"adapter":"hci4711","device":"dice"}} | air.adapter is hci4711, but this machine has
    bench    | {${DICE},"air":{"adapter":"hci4711","device":"dice"}} | must be two adapters
    bench    | {${DICE}}                     | bench needs air
    attach   | {${DICE}}                     | servers.dice must have a url
    attach   | {"servers":{"dice":{"url":"http://127.0.0.1:9"}}} | the dice server at http://127.0.0.1:9 does not answer
    `,
  );
  for (const [profile, bench, part] of described) {
    it(`${profile} with ${bench === '-' ? 'no bench file' : bench}`, async function () {
      if (part.includes('hci4711')) requireLinux(this, 'list of its adapters');
      const message = await refusal(profile, bench === '-' ? {} : { BENCH: benchFile(bench) });
      expect(message).to.contain(part).and.not.contain('\n');
    });
  }

  const urls = { DICE_URL: 'http://localhost:3000', CLOCK_URL: 'http://localhost:3001' };
  const addressed: readonly (readonly [places: Places, part: string])[] = [
    [urls, 'each a URL such as http://localhost:3000, and CONTROL_URL is missing; '],
    [{ ...urls, CONTROL_URL: 'abc' }, 'and CONTROL_URL is "abc"; '],
    [{ ...urls, CLOCK_URL: 'localhost:3001' }, 'and CLOCK_URL is "localhost:3001"; '],
  ];
  for (const [places, part] of addressed) {
    it(`attach to ${Object.values(places).join(', ')}`, async () => {
      const message = await refusal('attach', places);
      expect(message).to.contain(part).and.to.contain('BENCH=FILE').and.not.to.contain('bench.example');
      expect(message).not.to.contain('\n');
    });
  }

  describe('the program prints it and exits with 2', () => {
    const hci = 'tcp:127.0.0.1:9';
    const cases = rows(
      3,
      `
      - | -            | physical needs a bench file
      {"servers":{"dice":{"hci":"${hci}","args":["--scan-secs","x"]}}} | - | did not start: error: option '--scan-secs <secs>' argument 'x' is invalid
      {${DICE}} | --parallel 1 | physical runs one scenario at a time: omit --parallel
      `,
    );
    for (const [bench, args, part] of cases) {
      it(`of ${bench} ${args}`, async () => {
        const more = args === '-' ? [] : args.split(' ');
        const { status, stderr } = await startFeatures(['--profile', 'physical', ...more], {
          ...(bench === '-' ? {} : { BENCH: benchFile(bench) }),
          AIRBENCH_REPORTS: folder,
        }).ended;
        const [message, ...further] = stderr.trim().split('\n');
        expect(message).to.contain(part);
        // The parent of a worker reports that it ended.
        if (args === '-') expect(further).to.deep.equal([]);
        expect(status).to.equal(2);
      });
    }

    it('with a folder of reports that cannot be made', async () => {
      const { status, stderr } = await startFeatures([], { AIRBENCH_REPORTS: 'package.json/x' }).ended;
      expect(stderr).to.match(
        /^the report package\.json\/x\/\S+ cannot be written \(.*\): a part of its path is not a folder\n$/,
      );
      expect(status).to.equal(2);
    });
  });
});
