/** What happens to the air around the dice. */
import { Given, Then, When } from '@cucumber/cucumber';
import { expect } from 'chai';
import type { BenchWorld } from '../support/world.js';

interface Adapter {
  readonly id: string;
}

interface Fault {
  readonly id: string;
  readonly hits: number;
}

const addFault = async (
  world: BenchWorld,
  type: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> => {
  const fault = (await world.act('/faults', { type, device: world.die().address, ...more })) as Fault;
  world.faultId = fault.id;
};

const power = async (world: BenchWorld, powered: boolean): Promise<void> => {
  const { json } = await world.control.get('/adapters');
  for (const { id } of json as readonly Adapter[]) await world.act(`/adapters/${id}`, { powered });
};

const hits = async (world: BenchWorld): Promise<number> => {
  const { json } = await world.control.get('/faults');
  return (json as readonly Fault[]).find(({ id }) => id === world.faultId)?.hits ?? 0;
};

When('the die goes out of range', async function (this: BenchWorld) {
  await this.act(`/air/${this.die().address}`, { in_range: false }, 'PUT');
});

When('the die comes back into range', async function (this: BenchWorld) {
  await this.act(`/air/${this.die().address}`, { in_range: true }, 'PUT');
});

When('the link of the die is lost', async function (this: BenchWorld) {
  await addFault(this, 'link_loss');
});

Given('a fault {string} of the die', async function (this: BenchWorld, type: string) {
  await addFault(this, type);
});

Given(
  'a fault {string} of the die, {int} times',
  async function (this: BenchWorld, type: string, times: number) {
    await addFault(this, type, { times });
  },
);

Given(
  'a fault {string} of the die with {string} {float}',
  async function (this: BenchWorld, type: string, field: string, value: number) {
    await addFault(this, type, { [field]: value });
  },
);

Then('the fault has acted', async function (this: BenchWorld) {
  expect(await hits(this)).to.be.greaterThan(0);
});

Then('the fault has acted {int} times', async function (this: BenchWorld, times: number) {
  expect(await hits(this)).to.equal(times);
});

When("the server's adapter goes off", async function (this: BenchWorld) {
  await power(this, false);
});

When("the server's adapter comes back", async function (this: BenchWorld) {
  await power(this, true);
});
