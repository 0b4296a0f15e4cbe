import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { FaultBody } from '../simulators/control/faults.js';
import { decodeChaos } from '../simulators/control/index.js';
import { decode } from '../src/codecs/index.js';
import { right } from './support/either.js';

/** The types of faults, from the message about an unknown type. */
const types = (): readonly string[] => {
  const refused = decode(FaultBody, 'it')({ type: 'none', device: 'all' });
  const message = E.isLeft(refused) && 'message' in refused.left ? refused.left.message : '';
  return /must be one of (.*), got "none"/.exec(message)?.[1]?.split(', ') ?? [];
};

const scenarios = ['dice', 'clock']
  .flatMap((name) =>
    readFileSync(`features/${name}/faults.feature`, 'utf8')
      .split(/^ *Scenario: /m)
      .slice(1),
  )
  .filter((scenario) => scenario.includes('the fault {'));

const SERVER =
  /(?:Then|And) (?:the answer is|the command (?:fails|succeeds)|each client receives|I receive|the list )/;
const DEVICE =
  /(?:Then|And) the (?:die|clock)(?: received|'s | is connected| is not connected| did not receive)/;

describe('The faults', () => {
  it('have a scenario for each type', () => {
    expect(types()).to.include.members(['link_loss', 'background_advertisers']);
    expect(types().filter((type) => !scenarios.some((text) => text.includes(`"type": "${type}"`)))).to.be
      .empty;
  });

  it('are all in ci/chaos.json or ci/chaos-proxies.json', () => {
    const plans = ['ci/chaos.json', 'ci/chaos-proxies.json'].map((file) =>
      right(decodeChaos(JSON.parse(readFileSync(file, 'utf8')))),
    );
    expect(new Set(plans.flatMap(({ faults }) => faults.map(({ fault }) => fault.type)))).to.deep.equal(
      new Set(types()),
    );
  });

  for (const scenario of scenarios) {
    const [name = ''] = scenario.split('\n');
    it(`show their effect on the server and the device: ${name}`, () => {
      expect(scenario).to.contain('the fault has acted');
      expect(scenario).to.match(SERVER);
      expect(scenario).to.match(DEVICE);
    });
  }
});
