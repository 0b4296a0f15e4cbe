import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Kind } from '../../src/contract/kinds.js';
import { startRig, type Rig } from '../../features/support/rig.js';
import { MutatingProxy } from './mutating-proxy.js';
import { clockMutations } from './clock-mutations.js';
import { diceMutations } from './dice-mutations.js';
import { loadFeatures, type FeatureRun } from './features.js';

/** A correct server needs far less time; a broken server would never succeed. */
const IMPATIENT = 500;
/** For a scenario that runs alone, since it takes longer. */
const OF_ONE = 3_000;
const PATIENT = 15_000;

/** Tags whose scenarios use everything that the proxy passes on: requests, refusals, sockets. */
const SOUND = { dice: '@D-connect or @D-ws', clock: '@C-ack or @C-rest-battery or @C-path' };
const MUTATIONS = { dice: diceMutations, clock: clockMutations };

/** Every eighth mutation is in the sample, for `npm run e2e`; `npm run slow` runs the others. */
const SAMPLE = 8;

/** Breaks a correct server in one place at a time, and expects the scenarios of that line of the contract to fail. */
export const itNoticesMutations = (server: Kind, part: 'sample' | 'others'): void => {
  const broken = MUTATIONS[server].filter((_, index) => (index % SAMPLE === 0) === (part === 'sample'));
  describe(`The ${server} features cannot pass a broken server`, function () {
    this.timeout(120_000);
    let rig: Rig;
    let proxy: MutatingProxy;
    let run: (tags: string, patience: number, scenario?: string) => Promise<FeatureRun>;

    before(async () => {
      rig = await startRig('reports', `mutated-${server}`);
      proxy = await MutatingProxy.start(rig[server].url);
      const features = await loadFeatures();
      const controlUrl = rig.control.url;
      const urls = { dice: rig.dice.url, clock: rig.clock.url, [server]: proxy.url };
      run = (tags, patience, scenario) => features({ urls, controlUrl, tags, scenario, patience });
    });

    after(async () => {
      await proxy.close();
      await rig.close();
    });

    it('pass a correct server through the same proxy', async () => {
      proxy.current = {};
      const { passed, scenarios } = await run(SOUND[server], PATIENT);
      expect(scenarios).to.be.at.least(5);
      expect(passed).to.be.true;
    });

    const alone = new Map(
      broken.flatMap(({ scenario, tag }) => (scenario === undefined ? [] : [[scenario, tag]])),
    );
    for (const [scenario, tag] of alone) {
      it(`pass a correct server in "${scenario}" alone, within the limit for a broken one`, async () => {
        proxy.current = {};
        const { passed, scenarios } = await run(tag, OF_ONE, scenario);
        expect(scenarios).to.be.at.least(1);
        expect(passed).to.be.true;
      });
    }

    for (const { tag, defect, change, scenario } of broken) {
      it(`${tag} fails if ${defect}`, async () => {
        proxy.current = change;
        const patience = scenario === undefined ? IMPATIENT : OF_ONE;
        const { passed, failedSteps } = await run(tag, patience, scenario);
        expect(failedSteps).to.equal(1);
        expect(passed).to.be.false;
      });
    }
  });
};
