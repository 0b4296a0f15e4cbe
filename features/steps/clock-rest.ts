/** The clock server's REST routes. */
import { Then, When } from '@cucumber/cucumber';
import { expect } from 'chai';
import type { JsonObject } from '../../simulators/testing/internal/listener.js';
import type { Scenario } from '../support/scenario.js';

/** Whether the server lists the clock as connected. */
export const isListed = async (scenario: Scenario): Promise<boolean> => {
  const { json } = await scenario.server.get('/api/devices');
  return (json as readonly JsonObject[]).some(({ address }) => address === scenario.clock().address);
};

When("I ask for the clock's {string}", async function (this: Scenario, resource: string) {
  await this.call({ method: 'GET', path: `/api/devices/<clock>/${resource}` });
});

When(
  "I ask for the clock's {string} again and again while the clock goes out of range",
  async function (this: Scenario, resource: string) {
    let deadline = Infinity;
    const leaving = this.perform(this.clock(), { type: 'away' });
    const left = leaving.then(
      () => (deadline = performance.now() + this.patience),
      () => (deadline = 0),
    );
    do await this.call({ method: 'GET', path: `/api/devices/<clock>/${resource}` });
    while (this.answer.status === 200 && performance.now() < deadline);
    await left;
    await leaving;
  },
);

Then('sooner or later the server has the clock again', async function (this: Scenario) {
  await this.eventually('the server has the clock again', () => isListed(this));
});

Then(
  'sooner or later the clock\'s "sensors" have another temperature than the last answer',
  async function (this: Scenario) {
    const { temperature } = this.record;
    await this.eventually('the temperature is another one', async () => {
      const { json } = await this.server.get(`/api/devices/${this.clock().address}/sensors`);
      return (json as JsonObject)['temperature'] !== temperature;
    });
  },
);

Then(
  'sooner or later the clock\'s "sensors" have a temperature and a humidity',
  async function (this: Scenario) {
    await this.eventually('the sensors have a temperature and a humidity, numbers', async () => {
      await this.call({ method: 'GET', path: '/api/devices/<clock>/sensors' });
      const { temperature, humidity } = (this.answer.json ?? {}) as JsonObject;
      return this.answer.ok && typeof temperature === 'number' && typeof humidity === 'number';
    });
  },
);

Then('the answer is the result of {string}', async function (this: Scenario, type: string) {
  const { result } = await this.command({ type, address: this.clock().address });
  expect(result).to.not.be.null;
  expect(this.answer.json).to.deep.equal(result);
});

const mine = (scenario: Scenario): readonly JsonObject[] =>
  (scenario.answer.json as readonly JsonObject[]).filter(
    ({ address }) => address === scenario.clock().address,
  );

Then('the answer lists the clock with the name {string}', function (this: Scenario, name: string) {
  expect(mine(this).map((device) => device['name'])).to.deep.equal([name]);
});

Then(/^the answer lists the clock as (\{.*\})$/, function (this: Scenario, json: string) {
  expect(mine(this)).to.deep.equal([JSON.parse(this.filled(json))]);
});

/** Connections of earlier scenarios may still be closing. */
Then('sooner or later health counts my connections', async function (this: Scenario) {
  await this.eventually(`there are ${this.clients.length} connections`, async () => {
    const { listeners } = (await this.server.get('/health')).json as JsonObject;
    return listeners === this.clients.length;
  });
});

Then('the answer lists the clock with exactly "address", "name" and "rssi"', function (this: Scenario) {
  expect(mine(this)).to.have.lengthOf(1);
  for (const device of this.answer.json as readonly JsonObject[]) {
    expect(Object.keys(device)).to.have.members(['address', 'name', 'rssi']);
  }
});

Then('the answer does not list the clock', function (this: Scenario) {
  expect(mine(this)).to.be.empty;
});

Then('both are numbers', function (this: Scenario) {
  for (const value of Object.values(this.record)) expect(value).to.be.a('number');
});

Then(
  /^sooner or later the clock's "([^"]+)" (?:is|are) (.+)$/,
  async function (this: Scenario, resource: string, json: string) {
    const expected = JSON.stringify(JSON.parse(this.filled(json)));
    await this.eventually(`its ${resource} are ${json}`, async () => {
      const { text } = await this.server.get(`/api/devices/${this.clock().address}/${resource}`);
      return text === expected;
    });
  },
);
