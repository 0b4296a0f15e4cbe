/** Steps about events of the clock server. */
import { isDeepStrictEqual } from 'node:util';
import { Given, Then, When } from '@cucumber/cucumber';
import { expect } from 'chai';
import { ClockEvent } from '../../src/clock/contract.js';
import { ClockClient } from '../../simulators/testing/internal/clock-client.js';
import type { JsonObject } from '../../simulators/testing/internal/listener.js';
import { expectSince, startOf } from './server-time.js';
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
    this.event = await (await this.client()).next();
    expect(this.event).to.deep.include({ event: 'events_missed', data: { from, to: null } });
  },
);

Then(
  /^I receive (\w+) with (\{.*\}) sooner or later$/,
  async function (this: Scenario, event: string, json: string) {
    const data = JSON.parse(this.filled(json)) as unknown;
    const client = await this.client();
    this.event = await client.next(
      (message) => message['event'] === event && isDeepStrictEqual(message['data'], data),
    );
    expect(this.event).to.satisfy(ClockEvent.is);
  },
);

/** With other fields too. */
Then(
  /^I receive (\w+) with (?:(the numbers) )?("\w+" and "\w+") sooner or later$/,
  async function (this: Scenario, event: string, numbers: string | null, fields: string) {
    this.event = await (await this.client()).next((message) => message['event'] === event);
    const { data } = this.event;
    expect(data, JSON.stringify(this.event)).to.be.an('object').that.includes.all.keys(quoted(fields));
    if (typeof numbers !== 'string') return;
    for (const field of quoted(fields)) expect((data as JsonObject)[field], field).to.be.a('number');
  },
);

/** `ranges`: such as `temperature from -40 to 100 and humidity from 0 to 100`, for values that a bench cannot set. */
export const expectRanges = (values: JsonObject, ranges: string): void => {
  const fields = [...ranges.matchAll(/(\w+) from (-?\d+) to (-?\d+)/g)];
  expect(fields).to.not.be.empty;
  for (const [, field = '', min, max] of fields) {
    expect(values[field], field).to.be.a('number').within(Number(min), Number(max));
  }
};

Then(
  /^I receive (\w+) with (\w+ from .+) sooner or later$/,
  async function (this: Scenario, event: string, ranges: string) {
    const client = await this.client();
    this.event = await client.next((message) => message['event'] === event);
    expect(this.event).to.satisfy(ClockEvent.is);
    expectRanges(this.event['data'] as JsonObject, ranges);
  },
);

Then(
  'I receive sensor_update with another temperature than the last answer sooner or later',
  async function (this: Scenario) {
    const { temperature } = this.record;
    await (
      await this.client()
    ).next(
      ({ event, data }) => event === 'sensor_update' && (data as JsonObject)['temperature'] !== temperature,
    );
  },
);

Then(/^that message has exactly (".+")$/, function (this: Scenario, fields: string) {
  expect(Object.keys(this.event)).to.have.members(quoted(fields));
});

Then(
  'it is of the clock, of a time since then, and the newest of the server',
  async function (this: Scenario) {
    const { seq, instance } = (await this.server.get('/health')).json as JsonObject;
    expect(this.event).to.include({ address: this.clock().address, seq, instance });
    await expectSince(this, startOf(this), this.event['time']);
  },
);

Then(
  'it is of a time since then, and before the first event of this run of the server',
  async function (this: Scenario) {
    const { instance } = (await this.server.get('/health')).json as JsonObject;
    expect(this.event).to.include({ seq: 0, instance });
    await expectSince(this, startOf(this), this.event['time']);
  },
);

Then('I receive that event only once', async function (this: Scenario) {
  const client = await this.client();
  await client.settled();
  expect(client.unread.filter(({ event }) => event === this.event['event'])).to.be.empty;
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
  for (const number of [1, 2]) expect(await acksOf(await this.client(number), command)).to.have.lengthOf(1);
});

Then('the third client receives no event', async function (this: Scenario) {
  const client = await this.client(3);
  await client.settled();
  expect(client.texts).to.be.empty;
});

Then(
  /^(I have|the second client has) received (no|one) ack$/,
  async function (this: Scenario, who: 'I have' | 'the second client has', count: 'no' | 'one') {
    const client = await this.client(who === 'I have' ? 1 : 2);
    expect(await acksOf(client, 'set_brightness')).to.have.lengthOf(count === 'no' ? 0 : 1);
  },
);

Then('the clock was not disconnected', async function (this: Scenario) {
  const client = await this.client();
  await client.settled();
  expect(client.unread.filter(({ event }) => event === 'disconnected')).to.be.empty;
});

Then('the subscription still works', async function (this: Scenario) {
  const client = await this.client();
  const { error } = await client.send({
    type: 'set_brightness',
    address: this.clock().address,
    value: 40,
  });
  expect(error).to.be.null;
  await client.next(
    ({ event, data }) => event === 'ack' && (data as JsonObject)['command'] === 'set_brightness',
  );
});
