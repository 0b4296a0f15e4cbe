import { Then, When } from '@cucumber/cucumber';
import { expect } from 'chai';
import { ScanResponse, type DiscoveredDevice } from '../../src/dice/contract.js';
import type { Answer } from '../support/http.js';
import type { BenchWorld } from '../support/world.js';

/** The scenario's own dice in a scan's answer, in its order: others may be in the air. */
const mine = (world: BenchWorld, answer: Answer = world.answer): readonly DiscoveredDevice[] => {
  expect(answer.json, answer.text).to.satisfy(ScanResponse.is);
  const addresses = world.dice.map(({ address }) => address);
  return (answer.json as readonly DiscoveredDevice[]).filter(({ address }) => addresses.includes(address));
};

When('I scan for dice', async function (this: BenchWorld) {
  await this.call({ method: 'POST', path: '/api/scan' });
});

When('I scan for dice twice at once', async function (this: BenchWorld) {
  await this.call({ method: 'POST', path: '/api/scan' }, 2);
});

Then('both answers are 200 and hold the die', function (this: BenchWorld) {
  expect(this.answers).to.have.lengthOf(2);
  for (const answer of this.answers) {
    expect(answer.status).to.equal(200);
    expect(mine(this, answer)).to.have.lengthOf(1);
  }
});

Then('the list holds the die', function (this: BenchWorld) {
  expect(mine(this)).to.have.lengthOf(1);
});

Then('the list holds each die once', function (this: BenchWorld) {
  expect(mine(this).map(({ address }) => address)).to.have.members(this.dice.map(({ address }) => address));
});

Then('the list holds no die of mine', function (this: BenchWorld) {
  expect(mine(this)).to.be.empty;
});

Then('the list shows the die with its address', function (this: BenchWorld) {
  const addresses = (this.answer.json as readonly DiscoveredDevice[]).map(({ address }) => address);
  expect(addresses).to.include(this.die().address);
  for (const address of addresses) expect(address).to.match(/^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/);
});

Then('the list shows the die with its name', function (this: BenchWorld) {
  expect(mine(this).map(({ name }) => name)).to.deep.equal([this.die().name]);
});

Then('the list shows the die with a negative integer rssi', function (this: BenchWorld) {
  const [device] = mine(this);
  expect(device?.rssi).to.satisfy(Number.isInteger).and.to.be.below(0);
});

Then('the list shows die {int} with an rssi of null', function (this: BenchWorld, number: number) {
  const shown = mine(this).find(({ address }) => address === this.die(number).address);
  expect(shown).to.have.property('rssi', null);
});

Then(/^the list has (die \d+(?:, then die \d+)*)$/, function (this: BenchWorld, order: string) {
  const wanted = [...order.matchAll(/\d+/g)].map(([number]) => this.die(Number(number)).address);
  expect(mine(this).map(({ address }) => address)).to.deep.equal(wanted);
});
