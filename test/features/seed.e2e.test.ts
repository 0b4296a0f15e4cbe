/** The `@seed` scenarios on servers that know the two interface documents alone. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { parseMessages } from '../../features/report/messages.js';
import { readRun } from '../../features/report/run.js';
import { endPrograms, type Ended } from '../../simulators/testing/internal/program.js';
import { MutatingProxy, type Change } from '../mutated-servers/mutating-proxy.js';
import { messages, rename, drop, status } from '../mutated-servers/mutation.js';
import { startFeatures } from '../report/thrown-away.js';
import { startSeedServers, type SeedServers } from '../seed-server/index.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';

describe('The profile seed', () => {
  let folder: string;
  let servers: SeedServers;
  let proxies: Readonly<Record<'dice' | 'clock', MutatingProxy>>;

  before(async () => {
    folder = newFolder();
    servers = await startSeedServers();
    proxies = {
      dice: await MutatingProxy.start(servers.urls.dice),
      clock: await MutatingProxy.start(servers.urls.clock),
    };
  });
  after(async () => {
    await endPrograms();
    await proxies.dice.close();
    await proxies.clock.close();
    servers.close();
  });

  const features = async (tags: string, patience_secs: number): Promise<Ended> => {
    const bench = join(folder, 'bench.json');
    const urls = { dice: proxies.dice.url, clock: proxies.clock.url };
    writeFileSync(bench, JSON.stringify({ ...servers.bench(urls), limits: { patience_secs } }));
    const run = ['--profile', 'seed', '--bench', bench, '--report', folder, '--tags', tags];
    return startFeatures(run).ended;
  };

  /** The tags of each scenario of the last run. */
  const tagsOfRun = (): readonly (readonly string[])[] => {
    const file = join(folder, 'physical-seed', 'messages.ndjson');
    const run = readRun(right(parseMessages(file, readFileSync(file, 'utf8'))));
    const scenarios = [...run.features.values()].flat();
    return scenarios.filter(({ key }) => run.outcomes.has(key)).map(({ tags }) => tags);
  };

  it('accepts servers of the interface documents, by the @seed scenarios alone', async () => {
    const { status, stdout, stderr } = await features('@dice or @clock', 15);
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/^\d\d scenarios \(\d\d passed\)$/m);
    const tags = tagsOfRun();
    expect(tags).to.have.lengthOf.at.least(50);
    for (const each of tags) expect(each).to.include('@seed');
  });

  const isStable = ({ kind }: Readonly<Record<string, unknown>>): boolean => kind === 'Stable';
  const defects: readonly (readonly [tag: string, defect: string, kind: 'dice' | 'clock', change: Change])[] =
    [
      [
        '@D-session-id',
        'session_id has another name',
        'dice',
        {
          answer: (answered) => ({ ...answered, json: rename('session_id', 'id')(answered.json) }),
        },
      ],
      [
        '@D-event-acceleration',
        'Stable has no acceleration',
        'dice',
        messages(isStable, drop('acceleration')),
      ],
      [
        '@C-slot',
        'slot 16 is accepted',
        'clock',
        {
          message: (message, command) => [
            command?.['slot'] === 16 ? { ...message, result: 'deleted', error: null } : message,
          ],
        },
      ],
      ['@C-404', 'NotConnected is 500', 'clock', status(404, 500)],
    ];
  for (const [tag, defect, kind, change] of defects) {
    it(`fails a server by ${tag} if ${defect}`, async () => {
      proxies[kind].current = change;
      const { status, stdout } = await features(tag, 1);
      proxies[kind].current = {};
      expect(status, stdout).to.equal(1);
      expect(stdout).to.match(/^\d+ scenarios? \(\d+ failed/m);
    });
  }
});
