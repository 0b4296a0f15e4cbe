import { Then, When } from '@cucumber/cucumber';
import { expect } from 'chai';
import type { DiscoveredDevice } from '../../src/dice/contract.js';
import type { Answer } from '../../simulators/testing/internal/http-client.js';
import { fieldsIn } from '../support/fields.js';
import type { Scenario } from '../support/scenario.js';

/** The scenario's dice in the response to a scan, in its order, by their addresses in either case. Other dice may be in range. */
const mine = (scenario: Scenario, answer: Answer = scenario.answer): readonly DiscoveredDevice[] => {
  expect(answer.json, answer.text).to.be.an('array');
  const addresses = scenario.dice.map(({ address }) => address);
  return (answer.json as readonly DiscoveredDevice[]).filter(({ address }) =>
    addresses.includes(address.toUpperCase()),
  );
};

When('I scan for dice', async function (this: Scenario) {
  await this.call({ method: 'POST', path: '/api/scan' });
});

When('I scan for dice twice concurrently', async function (this: Scenario) {
  await this.call({ method: 'POST', path: '/api/scan' }, 2);
});

Then('both answers are 200 and hold the die', function (this: Scenario) {
  expect(this.answers).to.have.lengthOf(2);
  for (const answer of this.answers) {
    expect(answer.status).to.equal(200);
    expect(mine(this, answer)).to.have.lengthOf(1);
  }
});

Then('the list holds the die', function (this: Scenario) {
  expect(mine(this)).to.have.lengthOf(1);
});

Then('the list holds each die once', function (this: Scenario) {
  expect(mine(this).map(({ address }) => address)).to.have.members(this.dice.map(({ address }) => address));
});

Then('the list holds no die of mine', function (this: Scenario) {
  expect(mine(this)).to.be.empty;
});

Then('the list shows the die with its address', function (this: Scenario) {
  const addresses = (this.answer.json as readonly DiscoveredDevice[]).map(({ address }) => address);
  expect(addresses).to.include(this.die().address);
  for (const address of addresses) expect(address).to.match(/^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/);
});

Then(/^the list shows the die with (".+)$/, function (this: Scenario, fields: string) {
  const [die] = mine(this);
  expect(die).to.include(fieldsIn(fields));
});

Then('the list shows the die with its name', function (this: Scenario) {
  expect(mine(this).map(({ name }) => name)).to.deep.equal([this.die().name]);
});

Then('the list shows the die with a negative integer as its rssi', function (this: Scenario) {
  const [device] = mine(this);
  expect(device?.rssi).to.satisfy(Number.isInteger).and.to.be.below(0);
});

Then('the list shows die {int} with an rssi of null', function (this: Scenario, number: number) {
  const die = mine(this).find(({ address }) => address === this.die(number).address);
  expect(die).to.have.property('rssi', null);
});

Then(/^the list has (die \d+(?:, then die \d+)*)$/, function (this: Scenario, order: string) {
  const expected = [...order.matchAll(/\d+/g)].map(([number]) => this.die(Number(number)).address);
  expect(mine(this).map(({ address }) => address)).to.deep.equal(expected);
});
