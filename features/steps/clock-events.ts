/** Steps about events of the clock server. */
import { Given, Then, When } from '@cucumber/cucumber';
import {
  anyNumber,
  anything,
  exactly,
  expect,
  fields,
  formOf,
  listOf,
  not,
  numberFrom,
  type Matcher,
} from '../expect/expect.js';
import { ClockEvent } from '../../src/clock/contract.js';
import { ClockClient } from '../../simulators/testing/internal/clock-client.js';
import type { JsonObject } from '../../simulators/testing/internal/listener.js';
import { sinceStart } from './server-time.js';
import { quoted } from '../support/fields.js';
import type { Scenario } from '../support/scenario.js';

export const subscribe = async (scenario: Scenario, client: ClockClient, number = 1): Promise<void> => {
  await client.succeed({ type: 'subscribe_events', address: scenario.clock(number).address });
};

Given('I am subscribed to the clock', async function (this: Scenario) {
  await subscribe(this, await this.client());
});

Given(
  '{int} more clients, of which the first is subscribed to the clock',
  async function (this: Scenario, count: number) {
    await this.client(1 + count);
    await subscribe(this, await this.client(2));
  },
);

Given('a second client that is subscribed to clock {int}', async function (this: Scenario, number: number) {
  await subscribe(this, await this.client(2), number);
});

/** Puts a new connection in the place of mine. */
const connectAt = async (scenario: Scenario, path: string): Promise<void> => {
  scenario.clients.unshift(await ClockClient.open(...scenario.socketAt(path, 'clock-socket.txt')));
};

Given('I am connected at {string}', async function (this: Scenario, path: string) {
  await connectAt(this, path);
});

Given('I know the newest event of the server', async function (this: Scenario) {
  this.remembered.set('newest', (await this.server.get('/health')).json);
});

When('I come back to the events of the clock since that event', async function (this: Scenario) {
  const { seq, instance } = this.remembered.get('newest') as JsonObject;
  await connectAt(this, `/ws?since=${String(seq)}&instance=${String(instance)}&address=<clock>`);
});

Then(
  'I learn that event {int} and all later events are missing',
  async function (this: Scenario, from: number) {
    const expected = fields({ event: 'events_missed', data: { from, to: null } });
    this.event = await this.receive(await this.client(), expected, () => true);
    expect('', this.event, expected);
  },
);

Then(
  /^I receive (\w+) with (\{.*\}) sooner or later$/,
  async function (this: Scenario, event: string, json: string) {
    const data = JSON.parse(this.filled(json)) as unknown;
    this.event = await this.receive(await this.client(), fields({ event, data }));
    expect('', this.event, formOf(ClockEvent, 'an event of a clock'));
  },
);

/** With other fields too. */
Then(
  /^I receive (\w+) with (?:(the numbers) )?("\w+" and "\w+") sooner or later$/,
  async function (this: Scenario, event: string, numbers: string | null, names: string) {
    this.event = await this.receive(await this.client(), fields({ event }));
    const value = typeof numbers === 'string' ? anyNumber : anything;
    const data = Object.fromEntries(quoted(names).map((name) => [name, value]));
    expect('data', this.event['data'], fields(data));
  },
);

/** `ranges`: such as `temperature from -40 to 100 and humidity from 0 to 100`, for values that a bench cannot set. */
export const inRanges = (ranges: string): Matcher =>
  fields(
    Object.fromEntries(
      [...ranges.matchAll(/(\w+) from (-?\d+) to (-?\d+)/g)].map(([, field = '', min, max]) => [
        field,
        numberFrom(Number(min), Number(max)),
      ]),
    ),
  );

Then(
  /^I receive (\w+) with (\w+ from .+) sooner or later$/,
  async function (this: Scenario, event: string, ranges: string) {
    this.event = await this.receive(await this.client(), fields({ event }));
    expect('', this.event, formOf(ClockEvent, 'an event of a clock'));
    expect('data', this.event['data'], inRanges(ranges));
  },
);

Then(
  'I receive sensor_update with another temperature than the last answer sooner or later',
  async function (this: Scenario) {
    const { temperature } = this.record;
    const data = fields({ temperature: not(temperature) });
    await this.receive(await this.client(), fields({ event: 'sensor_update', data }));
  },
);

Then(/^that message has exactly (".+")$/, function (this: Scenario, names: string) {
  expect('', this.about(this.event), exactly(quoted(names)));
});

/** Other clocks may have sent events meanwhile. */
Then('it is of the clock, of a time since then, and counted by the server', async function (this: Scenario) {
  const { seq: newest, instance } = (await this.server.get('/health')).json as JsonObject;
  const seq = numberFrom(1, Number(newest));
  const time = await sinceStart(this);
  expect('', this.about(this.event), fields({ address: this.clock().address, seq, instance, time }));
});

Then(
  'it is of a time since then, and before the first event of this run of the server',
  async function (this: Scenario) {
    const { instance } = (await this.server.get('/health')).json as JsonObject;
    const time = await sinceStart(this);
    expect('', this.about(this.event), fields({ seq: 0, instance, time }));
  },
);

Then('I receive that event only once', async function (this: Scenario) {
  const client = await this.client();
  await client.settled();
  const again = client.unread.filter(({ event }) => event === this.event['event']);
  expect('further events of this kind', again, []);
});

const acksOf = async (client: ClockClient, command: string): Promise<readonly JsonObject[]> => {
  await client.settled();
  return client.unread.filter(
    ({ event, data }) => event === 'ack' && (data as JsonObject)['command'] === command,
  );
};

When('the clock is set to another brightness by the second client', async function (this: Scenario) {
  const client = await this.client(2);
  await client.send({ type: 'set_brightness', address: this.clock().address, value: 20 });
});

Then('each subscribed client receives one ack of {string}', async function (this: Scenario, command: string) {
  for (const number of [1, 2])
    expect(`acks of client ${number}`, await acksOf(await this.client(number), command), listOf(1));
});

Then('the third client receives no event', async function (this: Scenario) {
  const client = await this.client(3);
  await client.settled();
  expect('events of client 3', client.unread, []);
});

Then(
  /^(I have|the second client has) received (no|one) ack$/,
  async function (this: Scenario, who: 'I have' | 'the second client has', count: 'no' | 'one') {
    const client = await this.client(who === 'I have' ? 1 : 2);
    expect('acks', await acksOf(client, 'set_brightness'), listOf(count === 'no' ? 0 : 1));
  },
);

Then('the clock was not disconnected', async function (this: Scenario) {
  const client = await this.client();
  await client.settled();
  const disconnected = client.unread.filter(({ event }) => event === 'disconnected');
  expect('events "disconnected"', disconnected, []);
});

Then('the subscription still works', async function (this: Scenario) {
  const client = await this.client();
  const { error } = await client.send({
    type: 'set_brightness',
    address: this.clock().address,
    value: 40,
  });
  expect('error', error, null);
  await this.receive(client, fields({ event: 'ack', data: fields({ command: 'set_brightness' }) }));
});
