/** Steps about the events that clients of the stream receive. */
import { Given, Then, When } from '@cucumber/cucumber';
import {
  above,
  anyInteger,
  anyText,
  exactly,
  expect,
  fields,
  formOf,
  integerFrom,
  numberFrom,
} from '../expect/expect.js';
import { DiceEvent } from '../../src/dice/contract.js';
import { now } from '../expect/times.js';
import { quoted } from '../support/fields.js';
import type { Scenario } from '../support/scenario.js';
import type { JsonObject } from '../../simulators/testing/internal/listener.js';

/** Reads the next message of each client, and checks its form and these fields. */
const nextIs = async (scenario: Scenario, expected: JsonObject): Promise<void> => {
  await scenario.nextMessage(fields(expected), () => true);
  for (const message of scenario.messages) {
    expect('', scenario.about(message), fields(expected));
    expect('', message, formOf(DiceEvent, 'an event of a die'));
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
    const expected = fields({ kind, ...(typeof face === 'string' && { face: Number(face) }) });
    await this.nextMessage(
      expected,
      (message) => message['kind'] === kind || typeof message['kind'] !== 'string',
    );
    for (const message of this.messages) expect('', this.about(message), expected);
  },
);

Then('it has {string} and nothing else', function (this: Scenario, field: string) {
  expect('', newest(this), exactly([field]));
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
    await nextIs(this, { kind: 'BatteryLevel', level: integerFrom(0, 100) });
  },
);

Then('each client receives a BatteryLevel above the answer sooner or later', async function (this: Scenario) {
  const before = Number(this.record['battery_level']);
  await this.nextMessage(fields({ kind: 'BatteryLevel', level: above(before) }));
});

/** The die sends levels until it is off its charger. */
Then('each client receives Charging with "charging" false sooner or later', async function (this: Scenario) {
  const expected = { kind: 'Charging', charging: false };
  await this.nextMessage(expected, ({ kind }) => kind !== 'BatteryLevel');
  for (const message of this.messages) expect('', this.about(message), expected);
});

const nothingMore = async (scenario: Scenario): Promise<void> => {
  await Promise.all(scenario.streams.map((stream) => stream.settled()));
  const unread = scenario.streams.flatMap((stream) => stream.unread);
  expect('further messages', unread, []);
};

Then('each client has received nothing( more)', async function (this: Scenario) {
  await nothingMore(this);
});

Then(/^the next message has exactly (".+")$/, async function (this: Scenario, names: string) {
  const expected = exactly(quoted(names));
  expect('', await this.nextMessage(expected, () => true), expected);
});

Then('each client receives an event', async function (this: Scenario) {
  await this.nextMessage(fields({}));
});

Then(/^it is a (\w+)$/, function (this: Scenario, kind: string) {
  expect('kind', newest(this)['kind'], kind);
});

/** The newest message of the first client. */
const newest = (scenario: Scenario): JsonObject => scenario.about(scenario.messages[0] ?? {});

Then('its acceleration has the integers x, y and z', function (this: Scenario) {
  const axes = fields({ x: anyInteger, y: anyInteger, z: anyInteger });
  expect('acceleration', newest(this)['acceleration'], axes);
});

Then('its acceleration has exactly the integers x, y and z', function (this: Scenario) {
  const counts = integerFrom(-128, 127);
  expect('acceleration', newest(this)['acceleration'], { x: counts, y: counts, z: counts });
});

Then('its acceleration is null', function (this: Scenario) {
  expect('', newest(this), fields({ acceleration: null }));
});

/** On face 6 of a d6 the first axis measures all of gravity: 64 counts, with some noise. */
Then('its acceleration points to face 6', function (this: Scenario) {
  const noise = numberFrom(-20, 20);
  expect('acceleration', newest(this)['acceleration'], fields({ x: numberFrom(54, 74), y: noise, z: noise }));
});

Then("the message has the session, the die's address and a time in UTC", function (this: Scenario) {
  const { address, session } = this.die();
  const expected = { address, session_id: session, time: now(), seq: anyInteger, instance: anyText };
  expect('', newest(this), fields(expected));
});

Then('event {int} and all later events are missing', function (this: Scenario, from: number) {
  expect('', newest(this), fields({ from, to: null }));
});

Then('its seq is one more than before, its instance the same', function (this: Scenario) {
  const { seq, instance } = this.previous ?? {};
  expect('', newest(this), fields({ seq: Number(seq) + 1, instance }));
});
