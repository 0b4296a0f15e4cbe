/** Steps about commands over the clock server's WebSocket, and their answers. */
import { Then, When } from '@cucumber/cucumber';
import { expect } from 'chai';
import { Settings } from '../../src/clock/contract.js';
import { expectRanges } from './clock-events.js';
import { isListed } from './clock-rest.js';
import type { JsonObject } from '../../simulators/testing/internal/listener.js';
import type { Response } from '../../simulators/testing/internal/clock-client.js';
import { expectSince, startOf } from './server-time.js';
import { quoted } from '../support/fields.js';
import type { Scenario } from '../support/scenario.js';

const ALARM = { slot: 0, time: '07:30', repeat_mask: 0, enabled: true, snooze: false };

const response = (scenario: Scenario): Response => {
  if (scenario.response === undefined) throw new Error('the scenario has sent no command yet');
  return scenario.response;
};

const result = (scenario: Scenario): JsonObject => {
  const { error, result: value } = response(scenario);
  expect(error).to.be.null;
  return value as JsonObject;
};

const addressed = (scenario: Scenario, type: string): JsonObject => ({
  type,
  address: scenario.clock().address,
});

When('I command {string}', async function (this: Scenario, type: string) {
  await this.command(addressed(this, type));
});

When(/^I command (\{.*\})$/, async function (this: Scenario, command: string) {
  await this.command(JSON.parse(this.filled(command)));
});

When(/^I send the message (.+)$/, async function (this: Scenario, message: string) {
  const client = await this.client();
  const text = this.filled(message);
  const id = /"id": (-?\d+),/.exec(text)?.[1];
  const expected = text.includes('"command"') && id !== undefined && text.endsWith('}') ? Number(id) : 0;
  this.response = await client.ask(text, expected);
});

When(/^I set an alarm with "([^"]+)" (.+)$/, async function (this: Scenario, field: string, value: string) {
  await this.command({ ...addressed(this, 'set_alarm'), ...ALARM, [field]: JSON.parse(value) as unknown });
});

/** A field of a clock's model as the server gives it; the clock follows no time zone. */
const givenBy = (model: JsonObject, field: string): unknown =>
  field === 'settings' ? { ...Object(model[field]), timezone: null } : model[field];

/** The settings in the clock's model, or else as read back. */
const settingsNow = async (scenario: Scenario): Promise<unknown> => {
  const model = await scenario.modelIfKnown(scenario.clock());
  return model === undefined
    ? (await (await scenario.client()).send(addressed(scenario, 'read_settings'))).result
    : givenBy(model, 'settings');
};

When(/^I write the setting "([^"]+)" (.+)$/, async function (this: Scenario, field: string, value: string) {
  const settings = await settingsNow(this);
  this.remembered.set('settings', settings);
  if (!this.bench.virtualAir) {
    this.afterwards.push(() => this.command({ ...addressed(this, 'write_settings'), settings }));
  }
  await this.command({
    ...addressed(this, 'write_settings'),
    settings: { [field]: JSON.parse(value) as unknown },
  });
});

When('I write the settings that I read', async function (this: Scenario) {
  const model = await this.modelIfKnown(this.clock());
  this.remembered.set('record', model?.['settings_hex']);
  this.remembered.set('settings', result(this));
  await this.command({ ...addressed(this, 'write_settings'), settings: result(this) });
});

Then('the result is the settings that I read', function (this: Scenario) {
  expect(result(this)).to.deep.equal(this.remembered.get('settings'));
});

Then("the clock's record is byte for byte the same", async function (this: Scenario) {
  const { settings_hex } = await this.model(this.clock());
  expect(settings_hex).to.match(/^[0-9a-f]{36}$/);
  expect(settings_hex).to.equal(this.remembered.get('record'));
});

Then("only {string} has changed in the clock's settings", async function (this: Scenario, field: string) {
  const before = this.remembered.get('settings') as JsonObject;
  expect(await settingsNow(this)).to.deep.equal({ ...before, [field]: result(this)[field] });
});

Then('the command succeeds', function (this: Scenario) {
  expect(response(this).error).to.be.null;
  expect(response(this).result).to.not.be.null;
});

Then(
  /^(?:the command fails with|the command fails naming|the response's error contains) "([^"]+)"$/,
  function (this: Scenario, part: string) {
    expect(response(this).result).to.be.null;
    expect(response(this).error).to.be.a('string').that.contains(this.filled(part));
  },
);

Then('the command fails', function (this: Scenario) {
  expect(response(this).result).to.be.null;
  expect(response(this).error).to.be.a('string').that.is.not.empty;
});

/** The scan takes two seconds. */
When('I command a scan, and {string} during it', async function (this: Scenario, type: string) {
  const client = await this.client();
  const order: string[] = [];
  const during = async (name: string, command: JsonObject): Promise<void> => {
    this.response = await client.send(command);
    order.push(name);
  };
  await Promise.all([
    during('scan', { type: 'scan', duration_secs: 2 }),
    during(type, addressed(this, type)),
  ]);
  this.remembered.set('order', order);
});

Then('{string} was answered before the scan', function (this: Scenario, type: string) {
  expect(this.remembered.get('order')).to.deep.equal([type, 'scan']);
});

Then('the response has no {string}', function (this: Scenario, field: string) {
  expect(response(this)).to.not.have.property(field);
});

Then(/^the result is ([{[].*)$/, function (this: Scenario, json: string) {
  expect(result(this)).to.deep.equal(JSON.parse(this.filled(json)));
});

Then('the result is', function (this: Scenario, json: string) {
  expect(result(this)).to.deep.equal(JSON.parse(json));
});

Then("the result's {string} is a time since then", async function (this: Scenario, field: string) {
  await expectSince(this, startOf(this), result(this)[field]);
});

Then("the clock's time is no earlier than the result's", async function (this: Scenario) {
  const { time } = await this.model(this.clock());
  await expectSince(this, Date.parse(String(result(this)['time'])), time);
});

Then(
  "the result's {string} is an integer from {int} to {int}",
  function (this: Scenario, field: string, min: number, max: number) {
    expect(result(this)[field]).to.satisfy(Number.isInteger).and.to.be.within(min, max);
  },
);

Then("the result's {string} is one of {}", function (this: Scenario, field: string, allowed: string) {
  expect(JSON.parse(`[${allowed}]`)).to.include(result(this)[field]);
});

/** Such as 1.0.1_0130. */
Then("the result's firmware is a version", function (this: Scenario) {
  expect(result(this)['firmware']).to.match(/^\d+(\.\d+)+_\d+$/);
});

Then('the result is a settings record', function (this: Scenario) {
  const record = result(this);
  expect(Settings.decode(record)._tag).to.equal('Right');
  expect(Object.keys(record)).to.have.members([
    ...['volume', 'language', 'time_format', 'temperature_unit', 'alarms_enabled'],
    ...['timezone_offset_minutes', 'timezone'],
    ...[
      'screen_light_secs',
      'brightness',
      'night_brightness',
      'night_mode_enabled',
      'night_start',
      'night_end',
    ],
    'ringtone',
  ]);
});

Then('the result is the {string} of the clock', async function (this: Scenario, field: string) {
  expect(result(this)).to.deep.equal(givenBy(await this.model(this.clock()), field));
});

const listed = (scenario: Scenario): JsonObject => {
  const entries = (result(scenario) as unknown as readonly JsonObject[]).filter(
    ({ address }) => address === scenario.clock().address,
  );
  expect(entries).to.have.lengthOf(1);
  return entries[0] ?? {};
};

Then('the list of clocks holds the clock', function (this: Scenario) {
  expect(listed(this)['rssi']).to.satisfy(Number.isInteger).and.to.be.below(0);
});

Then(/^its advertisement is (.+)$/, function (this: Scenario, value: string) {
  expect(listed(this)['advertisement']).to.deep.equal(JSON.parse(value));
});

Then(/^its advertisement has (\w+ from .+)$/, function (this: Scenario, ranges: string) {
  expectRanges(listed(this)['advertisement'] as JsonObject, ranges);
});

const records: Readonly<Record<string, (scenario: Scenario) => object>> = {
  'the answer': (scenario) => scenario.record,
  'the response': response,
  'the result': result,
  'its entry': listed,
  'its advertisement': (scenario) => listed(scenario)['advertisement'] as JsonObject,
};
for (const [noun, recordOf] of Object.entries(records)) {
  Then(new RegExp(`^${noun} has exactly (".+")$`), function (this: Scenario, fields: string) {
    expect(Object.keys(recordOf(this))).to.have.members(quoted(fields));
  });

  Then(new RegExp(`^${noun} has "([^"]+)" (.+)$`), function (this: Scenario, field: string, value: string) {
    const fields: JsonObject = { ...recordOf(this) };
    expect(fields[field]).to.deep.equal(JSON.parse(this.filled(value)));
  });

  Then(new RegExp(`^${noun} has (\\{.*\\})$`), function (this: Scenario, fields: string) {
    expect(recordOf(this)).to.deep.include(JSON.parse(this.filled(fields)) as JsonObject);
  });
}

When('I command {string} and the link is lost during it', async function (this: Scenario, type: string) {
  const command = this.command(addressed(this, type));
  await this.eventually('the clock received the command', async () => {
    const { commands } = await this.model(this.clock());
    return type in (commands as JsonObject);
  });
  await this.control.fault({ type: 'link_loss', device: this.clock().address });
  await command;
});

When('I command {string} as soon as the link is lost', async function (this: Scenario, type: string) {
  await this.eventually('the clock is not connected', async () => !(await isListed(this)));
  await this.command(addressed(this, type));
});
