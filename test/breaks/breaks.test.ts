import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { startRig, type Rig } from '../../features/support/rig.js';
import { BreakingProxy } from './breaking-proxy.js';
import type { NamedBreak } from './breaks.js';
import { clockBreaks } from './clock-breaks.js';
import { diceBreaks } from './dice-breaks.js';
import { loadFeatures, type FeatureRun, type FeatureRunOptions } from './features.js';

/** A right server is done long before; a broken one would never be. */
const IMPATIENT = 500;
const PATIENT = 15_000;

type Run = (options: FeatureRunOptions) => Promise<FeatureRun>;

describe('Features cannot pass a broken server', function () {
  this.timeout(120_000);
  let rig: Rig;
  let features: Run;

  before(async () => {
    rig = await startRig();
    features = await loadFeatures();
  });

  after(() => rig.close());

  const servers = [
    { url: 'diceUrl', name: 'The dice features', broken: diceBreaks, some: '@D-connect or @D-ws' },
    {
      url: 'clockUrl',
      name: 'The clock features',
      broken: clockBreaks,
      some: '@C-ack or @C-rest-battery or @C-path',
    },
  ] as const satisfies readonly { broken: readonly NamedBreak[]; [name: string]: unknown }[];
  for (const { url, name, broken, some } of servers) {
    describe(name, () => {
      let proxy: BreakingProxy;
      let run: (tags: string, patience: number) => Promise<FeatureRun>;

      before(async () => {
        proxy = await BreakingProxy.start(rig[url]);
        run = (tags, patience) => {
          const { diceUrl, clockUrl, controlUrl } = rig;
          return features({ diceUrl, clockUrl, controlUrl, [url]: proxy.url, tags, patience });
        };
      });

      after(() => proxy.close());

      it('pass a right server through the same proxy: requests, sockets, refusals', async () => {
        proxy.current = {};
        const { passed, scenarios } = await run(some, PATIENT);
        expect(scenarios).to.be.at.least(5);
        expect(passed).to.be.true;
      });

      for (const { tag, what, how } of broken) {
        it(`${tag} turns red when ${what}`, async () => {
          proxy.current = how;
          const { passed, failedSteps } = await run(tag, IMPATIENT);
          expect(failedSteps).to.equal(1);
          expect(passed).to.be.false;
        });
      }
    });
  }
});
