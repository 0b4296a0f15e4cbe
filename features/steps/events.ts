/** Steps about the events that clients of the stream receive. */
import { Given, Then, When } from '@cucumber/cucumber';
import { expect } from 'chai';
import { DiceEvent } from '../../src/dice/contract.js';
import { expectNow } from '../support/now.js';
import { quoted } from '../support/fields.js';
import type { Scenario } from '../support/scenario.js';
import type { JsonObject } from '../../simulators/testing/internal/listener.js';

/** Reads the next message of each client, and checks its form and these fields. */
const nextIs = async (scenario: Scenario, fields: JsonObject): Promise<void> => {
  await scenario.nextMessage();
  for (const message of scenario.messages) {
    expect(message, JSON.stringify(message)).to.satisfy(DiceEvent.is);
    expect(message).to.deep.include(fields);
  }
};

Given('a client of the event stream', async function (this: Scenario) {
  await this.openStream('/ws');
});

Given('{int} clients of the event stream', async function (this: Scenario, count: number) {
  for (let n = 0; n < count; n++) await this.openStream('/ws');
});

Given('a client of the event stream at {string}', async function (this: Scenario, path: string) {
  await this.openStream(path);
});

When('the client goes away', function (this: Scenario) {
  for (const stream of this.streams.splice(0)) stream.close();
});

/** The client comes back after its last message. */
When('the client comes back', async function (this: Scenario) {
  const [last] = this.messages;
  await this.openStream(`/ws?since=${String(last?.['seq'])}&instance=${String(last?.['instance'])}`);
});

When('the client says {string}', function (this: Scenario, text: string) {
  for (const stream of this.streams) stream.say(text);
});

Then(
  /^each client receives (\w+(?: \d+)?(?:, then \w+(?: \d+)?)*)$/,
  async function (this: Scenario, list: string) {
    for (const event of list.split(', then ')) {
      const [kind, face] = event.split(' ');
      await nextIs(this, face === undefined ? { kind } : { kind, face: Number(face) });
    }
  },
);

Then(
  'each client receives Stable {int} at {int}, {int}, {int}',
  async function (this: Scenario, face: number, x: number, y: number, z: number) {
    await nextIs(this, { kind: 'Stable', face, acceleration: { x, y, z } });
  },
);

Then('each client receives RollStart of die {int}', async function (this: Scenario, number: number) {
  const { address, session } = this.die(number);
  await nextIs(this, { kind: 'RollStart', address, session_id: session });
});

/** Among events of other kinds. */
Then(
  /^each client receives (\w+)(?: (\d+))? sooner or later$/,
  async function (this: Scenario, kind: string, face: string | null) {
    await this.nextMessage((message) => message['kind'] === kind || typeof message['kind'] !== 'string');
    const fields = { kind, ...(typeof face === 'string' && { face: Number(face) }) };
    for (const message of this.messages) expect(message, JSON.stringify(message)).to.include(fields);
  },
);

Then('it has {string} and nothing else', function (this: Scenario, field: string) {
  expect(Object.keys(this.messages[0] ?? {})).to.deep.equal([field]);
});

Then('each client receives RollStart and Stable for each roll, in order', async function (this: Scenario) {
  for (const face of this.rolled) {
    await nextIs(this, { kind: 'RollStart' });
    await nextIs(this, { kind: 'Stable', face });
  }
  await nothingMore(this);
});

Then('each client receives Charging with "charging" true', async function (this: Scenario) {
  await nextIs(this, { kind: 'Charging', charging: true });
});

Then(
  'each client receives BatteryLevel with an integer "level" from 0 to 100',
  async function (this: Scenario) {
    await nextIs(this, { kind: 'BatteryLevel' });
    expect(this.messages[0]?.['level']).to.satisfy(Number.isInteger).and.to.be.within(0, 100);
  },
);

Then('each client receives a BatteryLevel above the answer sooner or later', async function (this: Scenario) {
  const before = Number(this.record['battery_level']);
  await this.nextMessage(({ kind, level }) => kind === 'BatteryLevel' && Number(level) > before);
});

/** The die sends levels until it is off its charger. */
Then('each client receives Charging with "charging" false sooner or later', async function (this: Scenario) {
  await this.nextMessage(({ kind }) => kind !== 'BatteryLevel');
  for (const message of this.messages) expect(message).to.deep.equal({ kind: 'Charging', charging: false });
});

const nothingMore = async (scenario: Scenario): Promise<void> => {
  await Promise.all(scenario.streams.map((stream) => stream.settled()));
  expect(scenario.streams.flatMap((stream) => stream.unread)).to.be.empty;
};

Then('each client has received nothing( more)', async function (this: Scenario) {
  await nothingMore(this);
});

Then(/^the next message has exactly (".+")$/, async function (this: Scenario, fields: string) {
  const message = await this.nextMessage();
  expect(Object.keys(message)).to.have.members(quoted(fields));
});

Then(/^it is a (\w+)$/, function (this: Scenario, kind: string) {
  expect(this.messages[0]?.['kind']).to.equal(kind);
});

const acceleration = (scenario: Scenario): Readonly<Record<string, number>> =>
  scenario.messages[0]?.['acceleration'] as Readonly<Record<string, number>>;

Then('its acceleration has the integers x, y and z', function (this: Scenario) {
  expect(acceleration(this)).to.be.an('object').that.includes.all.keys('x', 'y', 'z');
  const { x, y, z } = acceleration(this);
  for (const counts of [x, y, z]) expect(counts).to.satisfy(Number.isInteger);
});

Then('its acceleration has exactly the integers x, y and z', function (this: Scenario) {
  expect(Object.keys(acceleration(this))).to.have.members(['x', 'y', 'z']);
  for (const counts of Object.values(acceleration(this))) {
    expect(counts).to.satisfy(Number.isInteger).and.to.be.within(-128, 127);
  }
});

Then('its acceleration is null', function (this: Scenario) {
  expect(this.messages[0]).to.have.property('acceleration', null);
});

/** On face 6 of a d6 the first axis measures all of gravity: 64 counts, with some noise. */
Then('its acceleration points to face 6', function (this: Scenario) {
  const { x = 0, y = 0, z = 0 } = acceleration(this);
  expect(x).to.be.within(54, 74);
  expect(Math.max(Math.abs(y), Math.abs(z))).to.be.at.most(20);
});

Then("the message has the session, the die's address and a time in UTC", function (this: Scenario) {
  const { address, session } = this.die();
  const message = this.messages[0] ?? {};
  expect(message).to.include({ address, session_id: session });
  expectNow(message['time']);
  expect(message['seq']).to.satisfy(Number.isInteger);
  expect(message['instance']).to.be.a('string').that.is.not.empty;
});

Then('event {int} and all later events are missing', function (this: Scenario, from: number) {
  expect(this.messages[0]).to.include({ from, to: null });
});

Then('its seq is one more than before, its instance the same', function (this: Scenario) {
  const [now] = this.messages;
  expect(now?.['seq']).to.equal(Number(this.previous?.['seq']) + 1);
  expect(now?.['instance']).to.equal(this.previous?.['instance']);
});
