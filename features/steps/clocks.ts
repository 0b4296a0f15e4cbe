/** Steps about the clocks of a scenario. */
import { Given, Then, When } from '@cucumber/cucumber';
import { expect, fields, matching } from '../expect/expect.js';
import type { JsonObject } from '../../simulators/testing/internal/listener.js';
import { subscribe } from './clock-events.js';
import { isListed } from './clock-rest.js';
import { makeClock, nextClock } from '../support/devices.js';
import type { Clock } from '../support/scenario-devices.js';
import type { Scenario } from '../support/scenario.js';

const connect = async (scenario: Scenario, clock: Clock): Promise<void> => {
  await (await scenario.client()).succeed({ type: 'connect', address: clock.address });
};

const setBehaviour = (scenario: Scenario, number: number, behaviour: JsonObject): Promise<unknown> =>
  scenario.control.send('PUT', `/devices/${scenario.clock(number).address}/behaviour`, behaviour);

Given('a clock', async function (this: Scenario) {
  await nextClock(this);
});

/** A clock that no server has seen. */
Given('a new clock', async function (this: Scenario) {
  await makeClock(this);
});

Given(
  /^a connected clock( that I am subscribed to)?$/,
  async function (this: Scenario, events: string | null) {
    await nextClock(this);
    await connect(this, this.clock());
    if (typeof events === 'string') await subscribe(this, await this.client());
  },
);

Given('a connected clock that holds the record {string}', async function (this: Scenario, hex: string) {
  await makeClock(this, { settings_hex: hex });
  await connect(this, this.clock());
});

/** A clock of a bench may have alarms of its user. */
Given('a connected clock without alarms', async function (this: Scenario) {
  await nextClock(this);
  const { address } = this.clock();
  await connect(this, this.clock());
  const { result } = await this.command({ type: 'read_alarms', address });
  for (const { slot } of result as readonly JsonObject[]) {
    await this.command({ type: 'delete_alarm', address, slot });
  }
});

Given('{int} connected clocks', async function (this: Scenario, count: number) {
  for (let n = 1; n <= count; n++) {
    await nextClock(this);
    await connect(this, this.clock(n));
  }
});

Given(
  'a clock that measures {float} °C and {float} %, its battery at {int}',
  async function (this: Scenario, temperature: number, humidity: number, battery: number) {
    await makeClock(this, { temperature, humidity, battery });
  },
);

Given('a clock that advertises no battery', async function (this: Scenario) {
  await makeClock(this, { advertised_battery: false });
});

Given('a clock that notifies its battery level, at {int}', async function (this: Scenario, level: number) {
  await makeClock(this, { battery: level, behaviour: { battery_service: 'true' } });
});

Given('the clock is received with {int} dBm', async function (this: Scenario, rssi: number) {
  await this.control.place(this.clock().address, { rssi });
});

Given('a clock whose time is {word}', async function (this: Scenario, time: string) {
  await makeClock(this, { time });
});

Given(
  'a clock bound to another token, which answers with {word}',
  async function (this: Scenario, mode: string) {
    await makeClock(this, { token: 'c0ffee00c0ffee00c0ffee00c0ffee00', behaviour: { wrong_token: mode } });
  },
);

Given(
  /^(?:the clock|clock (\d+)) (ignores|refuses) "([^"]+)"$/,
  async function (this: Scenario, number: number | null, how: string, command: string) {
    const field = how === 'ignores' ? 'silent_commands' : 'refused_commands';
    await setBehaviour(this, number ?? 1, { [field]: command.split(', ') });
  },
);

Given(
  'clock {int} takes {int} seconds to answer',
  async function (this: Scenario, number: number, secs: number) {
    await setBehaviour(this, number, { ack_delay_ms: secs * 1000 });
  },
);

When(
  'the clock measures {float} °C and {float} %',
  async function (this: Scenario, temperature: number, humidity: number) {
    await this.perform(this.clock(), { type: 'sensors', temperature, humidity });
  },
);

When('the battery of the clock is down to {int} %', async function (this: Scenario, level: number) {
  await this.control.act(this.clock().address, { type: 'battery', level });
});

/** The values differ from the first readings of a virtual clock. */
When('the clock measures something new', async function (this: Scenario) {
  await this.perform(this.clock(), { type: 'sensors', temperature: 23.45, humidity: 51.5 });
});

When('the clock measures another temperature than the last answer', async function (this: Scenario) {
  const { temperature, humidity } = this.record;
  const measured = Number(temperature);
  await this.perform(this.clock(), {
    ...{ type: 'sensors', humidity: Number(humidity) },
    temperature: measured > 40 ? 20 : Math.round(measured + 2),
  });
});

When("the clock's button is held for {int} seconds", async function (this: Scenario, secs: number) {
  await this.perform(this.clock(), { type: 'button', secs });
});

Then(/^the clock is bound to (a|the same) token$/, async function (this: Scenario, which: 'a' | 'the same') {
  const { token } = await this.model(this.clock());
  expect('token', token, matching('32 hexadecimal digits', /^[0-9a-f]{32}$/));
  if (which === 'the same') expect('token', token, this.remembered.get('token') ?? token);
  else this.remembered.set('token', token);
});

/** Asks the clock's model, or else the list of the server. */
Then('the clock is not connected', async function (this: Scenario) {
  await this.eventually('connected', false, async () => {
    const model = await this.modelIfKnown(this.clock());
    return model === undefined ? isListed(this) : model['connected'];
  });
});

/** During the scan, a server that still reconnected the clock would connect it. */
Then('the clock stays not connected', async function (this: Scenario) {
  await (await this.client()).send({ type: 'scan', duration_secs: 1 });
  expect('', await this.model(this.clock()), fields({ connected: false }));
});

/** The alarms in the clock's model, or else as read back. */
Then(/^the clock's alarms are now (.+)$/, async function (this: Scenario, value: string) {
  const model = await this.modelIfKnown(this.clock());
  const alarms =
    model?.['alarms'] ?? (await this.command({ type: 'read_alarms', address: this.clock().address })).result;
  expect('alarms', alarms, JSON.parse(value));
});

Then(
  /^the clock (received|did not receive) "([^"]+)"$/,
  async function (this: Scenario, verb: string, command: string) {
    const { commands } = await this.model(this.clock());
    const isReceived = command in (commands as JsonObject);
    expect(`commands: ${command} received`, isReceived, verb === 'received');
  },
);

/** Connecting sends the authentication and one read of the settings. */
Then('the clock received nothing more', async function (this: Scenario) {
  const { commands } = await this.model(this.clock());
  expect('commands', commands, { auth_init: 1, auth_confirm: 1, read_settings: 1 });
});
