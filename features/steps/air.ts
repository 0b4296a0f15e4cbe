/** Steps about the air around the dice. */
import { Given, Then, When } from '@cucumber/cucumber';
import { expect } from 'chai';
import type { Scenario } from '../support/scenario.js';

interface Adapter {
  readonly id: string;
}

interface Fault {
  readonly id: string;
  readonly hits: number;
}

const addFault = async (
  scenario: Scenario,
  type: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> => {
  const id = await scenario.control.fault({ type, device: scenario.die().address, ...more });
  scenario.faultIds.push(id);
};

const power = async (scenario: Scenario, powered: boolean): Promise<void> => {
  const adapters = (await scenario.control.get('/adapters')) as readonly Adapter[];
  for (const { id } of adapters) await scenario.control.post(`/adapters/${id}`, { powered });
};

const hits = async (scenario: Scenario): Promise<number> => {
  const faults = (await scenario.control.get('/faults')) as readonly Fault[];
  return faults.find(({ id }) => id === scenario.faultIds.at(-1))?.hits ?? 0;
};

const move = (scenario: Scenario, in_range: boolean): Promise<void> =>
  scenario.control.place(scenario.die().address, { in_range });

When('the die goes out of range', async function (this: Scenario) {
  await move(this, false);
});

/** Needs a fault of the die that drops the request. */
When(
  'I send {word} {string}, and the die goes out of range before it answers',
  async function (this: Scenario, method: string, path: string) {
    const leave = async (): Promise<void> => {
      await this.eventually('the request is under way', async () => (await hits(this)) > 0);
      await move(this, false);
    };
    await Promise.all([this.call({ method, path }), leave()]);
  },
);

When('the die comes back into range', async function (this: Scenario) {
  await move(this, true);
});

When('the link of the die is lost', async function (this: Scenario) {
  await addFault(this, 'link_loss');
});

Given('a fault {string} of the die', async function (this: Scenario, type: string) {
  await addFault(this, type);
});

Given(
  'a fault {string} of the die, {int} times',
  async function (this: Scenario, type: string, times: number) {
    await addFault(this, type, { times });
  },
);

Given(
  'a fault {string} of the die with {string} {float}',
  async function (this: Scenario, type: string, field: string, value: number) {
    await addFault(this, type, { [field]: value });
  },
);

Then('the fault has acted', async function (this: Scenario) {
  expect(await hits(this)).to.be.greaterThan(0);
});

Then('the fault has acted {int} times', async function (this: Scenario, times: number) {
  expect(await hits(this)).to.equal(times);
});

When("the server's adapter goes off", async function (this: Scenario) {
  await power(this, false);
});

When("the server's adapter comes back", async function (this: Scenario) {
  await power(this, true);
});
