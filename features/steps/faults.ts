/** Steps about faults, written as in the control API, and about their effects on the devices. */
import { Given, Then, When } from '@cucumber/cucumber';
import { above, expect, fields, integerFrom, listWith, not, numberFrom } from '../expect/expect.js';
import type { DiscoveredDevice } from '../../src/dice/contract.js';
import type { JsonObject } from '../../simulators/testing/internal/listener.js';
import { adaptersOf } from './air.js';
import type { Scenario } from '../support/scenario.js';

interface Proxy {
  readonly name: string;
  readonly devices: readonly string[];
}

/** The proxies through which devices are connected, or all proxies if no device is connected. */
const proxies = async (scenario: Scenario): Promise<readonly string[]> => {
  const all = (await scenario.control.get('/proxies')) as readonly Proxy[];
  const used = all.filter(({ devices }) => devices.length > 0);
  return (used.length > 0 ? used : all).map(({ name }) => name);
};

/** `<adapter>`: a fault for the adapter of each server, since an adapter does not name its server. `<proxy>`: for each of `proxies`. */
Given(/^the fault (\{.*\})$/, async function (this: Scenario, text: string) {
  const adapters = await adaptersOf(this);
  const filled = this.filled(text);
  const faults = filled.includes('<adapter>')
    ? adapters.map(({ id }) => filled.replace('<adapter>', id))
    : filled.includes('<proxy>')
      ? (await proxies(this)).map((name) => filled.replace('<proxy>', name))
      : [filled];
  for (const fault of faults) this.faultIds.push(await this.control.fault(JSON.parse(fault) as object));
});

When('the fault is removed', async function (this: Scenario) {
  expect('number of faults', this.faultIds.length, above(0));
  for (const id of this.faultIds.splice(0)) await this.control.send('DELETE', `/faults/${id}`);
});

When('I connect die {int}', async function (this: Scenario, number: number) {
  await this.connect(this.die(number));
});

When('I connect clock {int}', async function (this: Scenario, number: number) {
  await this.command({ type: 'connect', address: this.clock(number).address });
});

Then(/^the (die|clock) is connected$/, async function (this: Scenario, kind: 'die' | 'clock') {
  await this.eventually('connected', true, async () => (await this.model(this[kind]()))['connected']);
});

Then(
  /^the (die|clock)'s "([^"]+)" (?:is|are) (.+)$/,
  async function (this: Scenario, kind: 'die' | 'clock', field: string, value: string) {
    expect(field, (await this.model(this[kind]()))[field], JSON.parse(value));
  },
);

const received = async (scenario: Scenario, command: string): Promise<unknown> =>
  ((await scenario.model(scenario.die()))['commands'] as JsonObject)[command];

Then(
  'the die received {string} {int} times',
  async function (this: Scenario, command: string, times: number) {
    expect(`commands.${command}`, (await received(this, command)) ?? 0, times);
  },
);

const rssiIn = (scenario: Scenario, list: unknown): number | null | undefined =>
  (list as readonly DiscoveredDevice[]).find(({ address }) => address === scenario.die().address)?.rssi;

Then(
  'the list shows the die with {int} to {int} dBm',
  function (this: Scenario, weakest: number, strongest: number) {
    expect('rssi of the die', rssiIn(this, this.answer.json), numberFrom(weakest, strongest));
  },
);

Then(
  'sooner or later a scan receives it weaker than {int} dBm',
  async function (this: Scenario, rssi: number) {
    await this.eventually('rssi of the die', integerFrom(-127, rssi - 1), async () =>
      rssiIn(this, (await this.server.post('/api/scan')).json),
    );
  },
);

const addressesIn = (list: unknown): readonly string[] =>
  (list as readonly { address: string }[]).map(({ address }) => address);

Then('the list holds the die and no unknown device', async function (this: Scenario) {
  const listed = this.answer.json as readonly DiscoveredDevice[];
  expect('addresses', addressesIn(listed), listWith(this.die().address));
  const addresses = addressesIn(await this.control.devices());
  const unknown = listed.filter(({ address }) => !addresses.includes(address));
  // A proxy still reports advertisements of the last 0.1 s: the list may have the die of the last scenario.
  const isOfFlood = (name: string): boolean =>
    this.bench.spareProxies === undefined || name.startsWith('background ');
  expect(
    'unknown devices',
    unknown.filter(({ name }) => isOfFlood(name)),
    [],
  );
});

Then('the list of clocks does not hold the clock', function (this: Scenario) {
  if (this.response === undefined) throw new Error('the scenario has sent no command yet');
  const { error, result } = this.about(this.response);
  expect('error', error, null);
  expect('addresses', addressesIn(result), not(listWith(this.clock().address)));
});

When('the plan of chaos', async function (this: Scenario, text: string) {
  await this.control.post('/chaos', JSON.parse(this.filled(text)));
});

const chaos = async (scenario: Scenario): Promise<JsonObject> =>
  (await scenario.control.get('/chaos')) as JsonObject;

Then('the chaos ends', async function (this: Scenario) {
  await this.eventually('running', false, async () => (await chaos(this))['running']);
});

Then('the chaos has injected every {string} of its plan', async function (this: Scenario, type: string) {
  const count = ((await chaos(this))['faults'] as Readonly<Record<string, JsonObject>>)[type];
  expect(`faults.${type}`, count, fields({ scheduled: above(0), injected: count?.['scheduled'] }));
});
