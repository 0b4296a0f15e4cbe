import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { startRig, type Rig } from '../../features/support/rig.js';
import { BreakingProxy } from './breaking-proxy.js';
import { diceBreaks } from './dice-breaks.js';
import { loadFeatures, type FeatureRun } from './features.js';

/** A right server is done long before; a broken one would never be. */
const IMPATIENT = 500;

describe('The dice features cannot pass a broken server', function () {
  this.timeout(60_000);
  let rig: Rig;
  let proxy: BreakingProxy;
  let run: (tags: string, patience: number) => Promise<FeatureRun>;

  before(async () => {
    rig = await startRig();
    proxy = await BreakingProxy.start(rig.diceUrl);
    const features = await loadFeatures();
    run = (tags, patience) => features({ diceUrl: proxy.url, controlUrl: rig.controlUrl, tags, patience });
  });

  after(async () => {
    await proxy.close();
    await rig.close();
  });

  const tags = [...new Set(diceBreaks.map(({ tag }) => tag))];

  it('pass a right server through the same proxy', async () => {
    proxy.current = {};
    const { passed, scenarios } = await run(tags.join(' or '), 4000);
    expect(scenarios).to.be.at.least(tags.length);
    expect(passed).to.be.true;
  });

  for (const { tag, what, how } of diceBreaks) {
    it(`${tag} turns red when ${what}`, async () => {
      proxy.current = how;
      const { passed, failedSteps } = await run(tag, IMPATIENT);
      expect(failedSteps).to.equal(1);
      expect(passed).to.be.false;
    });
  }
});
