/** The clock server's REST routes. */
import { Then, When } from '@cucumber/cucumber';
import { anyNumber, exactly, expect, fields, listOf, not } from '../expect/expect.js';
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
  await this.eventually('the clock in the list', true, () => isListed(this));
});

Then(
  'sooner or later the clock\'s "sensors" have another temperature than the last answer',
  async function (this: Scenario) {
    const { temperature } = this.record;
    await this.eventually('', fields({ temperature: not(temperature) }), async () => {
      return (await this.server.get(`/api/devices/${this.clock().address}/sensors`)).json;
    });
  },
);

Then(
  'sooner or later the clock\'s "sensors" have a temperature and a humidity',
  async function (this: Scenario) {
    const json = fields({ temperature: anyNumber, humidity: anyNumber });
    await this.eventually('', fields({ ok: true, json }), async () => {
      await this.call({ method: 'GET', path: '/api/devices/<clock>/sensors' });
      return this.answer;
    });
  },
);

Then('the answer is the result of {string}', async function (this: Scenario, type: string) {
  const { result } = await this.command({ type, address: this.clock().address });
  expect('result', result, not(null));
  expect('', this.answer.json, result);
});

const mine = (scenario: Scenario): readonly JsonObject[] =>
  (scenario.answer.json as readonly JsonObject[]).filter(
    ({ address }) => address === scenario.clock().address,
  );

Then('the answer lists the clock with the name {string}', function (this: Scenario, name: string) {
  expect('entries of the clock', mine(this), [fields({ name })]);
});

Then(/^the answer lists the clock as (\{.*\})$/, function (this: Scenario, json: string) {
  expect('entries of the clock', mine(this), [JSON.parse(this.filled(json))]);
});

/** Connections of earlier scenarios may still be closing. */
Then('sooner or later health counts my connections', async function (this: Scenario) {
  await this.eventually('', fields({ listeners: this.clients.length }), async () => {
    return (await this.server.get('/health')).json;
  });
});

Then('the answer lists the clock with exactly "address", "name" and "rssi"', function (this: Scenario) {
  expect('entries of the clock', mine(this), listOf(1));
  for (const [index, device] of (this.answer.json as readonly JsonObject[]).entries()) {
    expect(`[${index}]`, device, exactly(['address', 'name', 'rssi']));
  }
});

Then('the answer does not list the clock', function (this: Scenario) {
  expect('entries of the clock', mine(this), []);
});

Then('both are numbers', function (this: Scenario) {
  for (const [field, value] of Object.entries(this.record)) expect(field, value, anyNumber);
});

Then(
  /^sooner or later the clock's "([^"]+)" (?:is|are) (.+)$/,
  async function (this: Scenario, resource: string, json: string) {
    await this.eventually('', JSON.parse(this.filled(json)), async () => {
      return (await this.server.get(`/api/devices/${this.clock().address}/${resource}`)).json;
    });
  },
);
