/** What a profile says that cannot run: one sentence, and status 2. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { CannotRun } from '../../features/bench/cannot-run.js';
import { openBench } from '../../features/support/profile.js';
import { newFolder } from '../support/folders.js';
import { endPrograms, Program } from '../support/program.js';
import { requireLinux } from '../support/require.js';

const PLACES = ['BENCH', 'DICE_URL', 'CLOCK_URL', 'CONTROL_URL'] as const;

type Places = Partial<Record<(typeof PLACES)[number], string>>;

describe('A profile that cannot run says why in one sentence:', () => {
  let folder: string;
  const usual = { ...process.env };

  const forgetPlaces = (): void => {
    for (const name of PLACES) Reflect.deleteProperty(process.env, name);
  };

  before(() => {
    folder = newFolder();
  });
  beforeEach(forgetPlaces);
  afterEach(() => {
    forgetPlaces();
    Object.assign(process.env, usual);
  });
  after(endPrograms);

  const benchFile = (content: object): string => {
    const path = join(folder, 'bench.json');
    writeFileSync(path, JSON.stringify(content));
    return path;
  };

  const refusal = async (profile: string, places: Places): Promise<string> => {
    Object.assign(process.env, places);
    try {
      await openBench(profile);
    } catch (error) {
      if (error instanceof CannotRun) return error.message;
      throw error;
    }
    return 'it can run';
  };

  // No machine has so many adapters.
  const servers = { dice: { hci: 'hci4711' } };
  const described: readonly (readonly [
    what: string,
    profile: string,
    bench: object | undefined,
    part: string,
  ])[] = [
    ['physical without a bench file', 'physical', undefined, 'physical needs a bench file'],
    ['bench without a bench file', 'bench', undefined, 'bench needs a bench file'],
    ['attach without addresses', 'attach', undefined, 'and DICE_URL is missing'],
    ['a malformed bench file', 'physical', { servers, dice: [{}] }, 'dice[0].address is missing'],
    ['no such adapter', 'physical', { servers }, 'servers.dice.hci is hci4711, but this machine has'],
    [
      'no adapter for the device side',
      'bench',
      { servers: { dice: { hci: 'hci4712' } }, air: { adapter: 'hci4711', device: 'dice' } },
      'air.adapter is hci4711, but this machine has',
    ],
    [
      'one adapter for both sides',
      'bench',
      { servers, air: { adapter: 'hci4711', device: 'dice' } },
      'must be two adapters',
    ],
    ['bench without a device side', 'bench', { servers }, 'bench needs air'],
    ['attach to what is not up', 'attach', { servers }, 'servers.dice must have a url'],
    [
      'a server that does not answer',
      'attach',
      { servers: { dice: { url: 'http://127.0.0.1:9' } } },
      'the dice server at http://127.0.0.1:9 does not answer',
    ],
  ];
  for (const [what, profile, bench, part] of described) {
    it(what, async function () {
      if (part.includes('hci4711')) requireLinux(this, 'list of its adapters');
      const sentence = await refusal(profile, bench === undefined ? {} : { BENCH: benchFile(bench) });
      expect(sentence).to.contain(part).and.not.contain('\n');
    });
  }

  const there = { DICE_URL: 'http://localhost:3000', CLOCK_URL: 'http://localhost:3001' };
  const addressed: readonly (readonly [what: string, places: Places, part: string])[] = [
    [
      'attach without a control API',
      there,
      'each a URL such as http://localhost:3000, and CONTROL_URL is missing; ',
    ],
    ['attach to what is no URL', { ...there, CONTROL_URL: 'abc' }, 'and CONTROL_URL is "abc"; '],
    [
      'attach to a port alone',
      { ...there, CLOCK_URL: 'localhost:3001' },
      'and CLOCK_URL is "localhost:3001"; ',
    ],
  ];
  for (const [what, places, part] of addressed) {
    it(what, async () => {
      const sentence = await refusal('attach', places);
      expect(sentence).to.contain(part).and.to.contain('BENCH=FILE').and.not.to.contain('bench.example');
      expect(sentence).not.to.contain('\n');
    });
  }

  describe('the program prints it and exits with 2', () => {
    const hci = 'tcp:127.0.0.1:9';
    const cases: readonly (readonly [
      what: string,
      bench: object | undefined,
      args: readonly string[],
      part: string,
    ])[] = [
      ['without a bench file', undefined, [], 'physical needs a bench file'],
      [
        'with a server that does not start',
        { servers: { dice: { hci, args: ['--scan-secs', 'x'] } } },
        [],
        "did not start: error: option '--scan-secs <secs>' argument 'x' is invalid",
      ],
      [
        'with the scenarios of a bench in parallel',
        { servers },
        ['--parallel', '1'],
        'physical runs one scenario at a time: leave --parallel out',
      ],
    ];
    for (const [what, bench, args, part] of cases) {
      it(what, async () => {
        const { status, stderr } = await Program.features(['--profile', 'physical', ...args], {
          ...(bench === undefined ? {} : { BENCH: benchFile(bench) }),
          AIRBENCH_REPORTS: folder,
        }).ended;
        const [sentence, ...more] = stderr.trim().split('\n');
        expect(sentence).to.contain(part);
        // The parent of a worker reports that it ended.
        if (!args.includes('--parallel')) expect(more).to.deep.equal([]);
        expect(status).to.equal(2);
      });
    }

    it('with a folder of reports that cannot be made', async () => {
      const { status, stderr } = await Program.features([], { AIRBENCH_REPORTS: 'package.json/x' }).ended;
      expect(stderr).to.match(
        /^the report package\.json\/x\/\S+ cannot be written \(.*\): a part of its path is no folder\n$/,
      );
      expect(status).to.equal(2);
    });
  });
});
