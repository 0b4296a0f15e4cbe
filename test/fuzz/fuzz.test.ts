import { expect } from 'chai';
import { describe, it } from 'mocha';
import { fuzz, leakIn } from './fuzz.js';

const SEED = 10;

describe('fuzzed requests and messages, some hundred of each', function () {
  this.timeout(60_000);
  for (const name of ['dice', 'clock', 'control'] as const) {
    it(`leave the ${name} server as it was, each answered as documented`, async () => {
      const report = await fuzz(name, { requests: 200, messages: 200, seed: SEED });
      expect(leakIn(report)).to.equal(undefined);
      expect(report.answers.get('200')).to.be.above(0);
    });
  }
});
