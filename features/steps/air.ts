/** Steps about the virtual air: range, links, faults and adapters. */
import { Given, Then, When } from '@cucumber/cucumber';
import { above, expect } from '../expect/expect.js';
import type { Scenario } from '../support/scenario.js';

interface Adapter {
  readonly id: string;
}

interface Fault {
  readonly id: string;
  readonly hits: number;
}

export const adaptersOf = async ({ control }: Scenario): Promise<readonly Adapter[]> =>
  (await control.get('/adapters')) as readonly Adapter[];

const addFault = async (
  scenario: Scenario,
  type: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> => {
  const id = await scenario.control.fault({ type, device: scenario.die().address, ...more });
  scenario.faultIds.push(id);
};

const power = async (scenario: Scenario, powered: boolean): Promise<void> => {
  for (const { id } of await adaptersOf(scenario))
    await scenario.control.post(`/adapters/${id}`, { powered });
};

const hits = async (scenario: Scenario): Promise<number> => {
  const faults = (await scenario.control.get('/faults')) as readonly Fault[];
  return faults.find(({ id }) => id === scenario.faultIds.at(-1))?.hits ?? 0;
};

When(
  /^the (die|clock) (goes out of|comes back into) range$/,
  async function (this: Scenario, kind: 'die' | 'clock', how: 'goes out of' | 'comes back into') {
    await this.perform(this[kind](), { type: how === 'goes out of' ? 'away' : 'back' });
  },
);

/** Needs an earlier fault that drops the request. */
When(
  'I send {word} {string}, and the die goes out of range before it answers',
  async function (this: Scenario, method: string, path: string) {
    const leaveRange = async (): Promise<void> => {
      await this.eventually('hits of the fault', above(0), () => hits(this));
      await this.perform(this.die(), { type: 'away' });
    };
    await Promise.all([this.call({ method, path }), leaveRange()]);
  },
);

When(/^the link of the (die|clock) is lost$/, async function (this: Scenario, kind: 'die' | 'clock') {
  await this.control.fault({ type: 'link_loss', device: this[kind]().address });
});

/** `a fault "loss" of the die with "rate" 0.3`, `a fault "failed_establishment" of the die, 2 times` */
Given(
  /^a fault "(\w+)" of the die(?: with "(\w+)" ([\d.]+)|, (\d+) times)?$/,
  async function (this: Scenario, type: string, field: string | null, value: string, times: number | null) {
    if (typeof field === 'string') await addFault(this, type, { [field]: Number(value) });
    else await addFault(this, type, typeof times === 'number' ? { times } : {});
  },
);

Then('the fault has acted', async function (this: Scenario) {
  expect('hits', await hits(this), above(0));
});

Then('the fault has acted {int} times', async function (this: Scenario, times: number) {
  expect('hits', await hits(this), times);
});

When(/^the server's adapter (goes off|comes back)$/, async function (this: Scenario, how: string) {
  await power(this, how === 'comes back');
});
