import { Then, When } from '@cucumber/cucumber';
import {
  expect,
  fields,
  inAnyOrder,
  integerFrom,
  listOf,
  listWith,
  matching,
  that,
} from '../expect/expect.js';
import type { DiscoveredDevice } from '../../src/dice/contract.js';
import type { Answer } from '../../simulators/testing/internal/http-client.js';
import { fieldsIn } from '../support/fields.js';
import type { Scenario } from '../support/scenario.js';

/** The scenario's dice in the response to a scan, in its order, by their addresses in either case. Other dice may be in range. */
const mine = (scenario: Scenario, answer: Answer = scenario.answer): readonly DiscoveredDevice[] => {
  expect('', scenario.about(answer).json, that('an array', Array.isArray));
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
  expect('number of answers', this.answers.length, 2);
  for (const answer of this.answers) {
    expect('status', this.about(answer).status, 200);
    expect('my dice', mine(this, answer), listOf(1));
  }
});

Then('the list holds the die', function (this: Scenario) {
  expect('my dice', mine(this), listOf(1));
});

Then('the list holds each die once', function (this: Scenario) {
  const addresses = mine(this).map(({ address }) => address);
  expect('addresses of my dice', addresses, inAnyOrder(this.dice.map(({ address }) => address)));
});

Then('the list holds no die of mine', function (this: Scenario) {
  expect('my dice', mine(this), []);
});

Then('the list shows the die with its address', function (this: Scenario) {
  const addresses = (this.answer.json as readonly DiscoveredDevice[]).map(({ address }) => address);
  expect('addresses', addresses, listWith(this.die().address));
  const upperCase = matching('an address such as "D1:CE:00:00:00:01"', /^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/);
  for (const [index, address] of addresses.entries()) expect(`[${index}].address`, address, upperCase);
});

Then(/^the list shows the die with (".+)$/, function (this: Scenario, text: string) {
  expect('my dice', mine(this), [fields(fieldsIn(text))]);
});

Then('the list shows the die with its name', function (this: Scenario) {
  expect('my dice', mine(this), [fields({ name: this.die().name })]);
});

Then('the list shows the die with a negative integer as its rssi', function (this: Scenario) {
  expect('my dice', mine(this), [fields({ rssi: integerFrom(-127, -1) })]);
});

Then('the list shows die {int} with an rssi of null', function (this: Scenario, number: number) {
  const die = mine(this).find(({ address }) => address === this.die(number).address);
  expect(`die ${number}`, die, fields({ rssi: null }));
});

Then(/^the list has (die \d+(?:, then die \d+)*)$/, function (this: Scenario, order: string) {
  const expected = [...order.matchAll(/\d+/g)].map(([number]) => this.die(Number(number)).address);
  const addresses = mine(this).map(({ address }) => address);
  expect('addresses of my dice', addresses, expected);
});
