/** Steps about commands over the clock server's WebSocket, and their answers. */
import { Then, When, type DataTable } from '@cucumber/cucumber';
import {
  above,
  anyText,
  containing,
  exactly,
  expect,
  fields,
  formOf,
  integerFrom,
  listOf,
  matching,
  not,
  oneOf,
} from '../expect/expect.js';
import { Settings } from '../../src/clock/contract.js';
import { inRanges } from './clock-events.js';
import { isListed } from './clock-rest.js';
import type { JsonObject } from '../../simulators/testing/internal/listener.js';
import type { Response } from '../../simulators/testing/internal/clock-client.js';
import { since, sinceStart } from './server-time.js';
import { quoted } from '../support/fields.js';
import type { Scenario } from '../support/scenario.js';

const ALARM = { slot: 0, time: '07:30', repeat_mask: 0, enabled: true, snooze: false };

const response = (scenario: Scenario): Response => {
  if (scenario.response === undefined) throw new Error('the scenario has sent no command yet');
  return scenario.about(scenario.response);
};

const result = (scenario: Scenario): JsonObject => {
  const { error, result: value } = response(scenario);
  expect('error', error, null);
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
  const text = this.filled(message);
  const id = /"id": (-?\d+),/.exec(text)?.[1];
  const expected = text.includes('"command"') && id !== undefined && text.endsWith('}') ? Number(id) : 0;
  await this.respond((client) => client.ask(text, expected));
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

When(
  'I write the settings that I read, with null for {string}',
  async function (this: Scenario, field: string) {
    const settings = result(this);
    this.remembered.set('settings', settings);
    await this.command({ ...addressed(this, 'write_settings'), settings: { ...settings, [field]: null } });
  },
);

Then('the result is the settings that I read', function (this: Scenario) {
  expect('result', result(this), this.remembered.get('settings'));
});

Then("the clock's record is byte for byte the same", async function (this: Scenario) {
  const { settings_hex } = await this.model(this.clock());
  expect('settings_hex', settings_hex, matching('36 hexadecimal digits', /^[0-9a-f]{36}$/));
  expect('settings_hex', settings_hex, this.remembered.get('record'));
});

Then("only {string} has changed in the clock's settings", async function (this: Scenario, field: string) {
  const before = this.remembered.get('settings') as JsonObject;
  const expected = { ...before, [field]: result(this)[field] };
  expect('settings', await settingsNow(this), expected);
});

Then('the command succeeds', function (this: Scenario) {
  expect('', response(this), fields({ error: null, result: not(null) }));
});

Then(
  /^(?:the command fails with|the command fails naming|the response's error contains) "([^"]+)"$/,
  function (this: Scenario, part: string) {
    expect('', response(this), fields({ result: null, error: containing(this.filled(part)) }));
  },
);

Then('the command fails', function (this: Scenario) {
  expect('', response(this), fields({ result: null, error: anyText }));
});

/** Clients with `?detail=full` receive codes. */
Then(
  /^these commands fail with the code "(\w+)"(?:, naming "([^"]+)")?$/,
  async function (this: Scenario, code: string, part: string | null, commands: DataTable) {
    const error = containing(this.filled(part ?? ''));
    for (const [command = ''] of commands.raw()) {
      await this.command(JSON.parse(this.filled(command)));
      expect('', response(this), fields({ result: null, error, code }));
    }
  },
);

/** The scan takes two seconds. */
When('I command a scan, and {string} during it', async function (this: Scenario, type: string) {
  const order: string[] = [];
  const during = async (name: string, command: JsonObject): Promise<void> => {
    await this.respond((client) => client.send(command));
    order.push(name);
  };
  await Promise.all([
    during('scan', { type: 'scan', duration_secs: 2 }),
    during(type, addressed(this, type)),
  ]);
  this.remembered.set('order', order);
  this.subject = { asked: `a scan, and "${type}" during it` };
});

Then('{string} was answered before the scan', function (this: Scenario, type: string) {
  expect('order of the answers', this.remembered.get('order'), [type, 'scan']);
});

Then('the response has no {string}', function (this: Scenario, field: string) {
  expect(field, response(this)[field], undefined);
});

Then(/^the result is ([{[].*)$/, function (this: Scenario, json: string) {
  expect('result', result(this), JSON.parse(this.filled(json)));
});

Then('the result is', function (this: Scenario, json: string) {
  expect('result', result(this), JSON.parse(json));
});

Then("the result's {string} is a time since then", async function (this: Scenario, field: string) {
  const time = await sinceStart(this);
  expect(`result.${field}`, result(this)[field], time);
});

Then("the clock's time is no earlier than the result's", async function (this: Scenario) {
  const expected = await since(this, Date.parse(String(result(this)['time'])));
  expect('time', (await this.model(this.clock()))['time'], expected);
});

Then(
  "the result's {string} is an integer from {int} to {int}",
  function (this: Scenario, field: string, min: number, max: number) {
    expect(`result.${field}`, result(this)[field], integerFrom(min, max));
  },
);

Then("the result's {string} is one of {}", function (this: Scenario, field: string, allowed: string) {
  expect(`result.${field}`, result(this)[field], oneOf(JSON.parse(`[${allowed}]`) as readonly unknown[]));
});

/** Such as 1.0.1_0130. */
Then("the result's firmware is a version", function (this: Scenario) {
  const version = matching('a version such as "1.0.1_0130"', /^\d+(\.\d+)+_\d+$/);
  expect('result.firmware', result(this)['firmware'], version);
});

const SETTINGS = [
  ...['volume', 'language', 'time_format', 'temperature_unit', 'alarms_enabled'],
  ...['timezone_offset_minutes', 'timezone', 'screen_light_secs', 'brightness', 'ringtone'],
  ...['night_brightness', 'night_mode_enabled', 'night_start', 'night_end'],
];

Then('the result is a settings record', function (this: Scenario) {
  const record = result(this);
  expect('result', record, exactly(SETTINGS));
  expect('result', record, formOf(Settings, 'a settings record'));
});

Then('the result is the {string} of the clock', async function (this: Scenario, field: string) {
  expect('result', result(this), givenBy(await this.model(this.clock()), field));
});

const listed = (scenario: Scenario): JsonObject => {
  const entries = (result(scenario) as unknown as readonly JsonObject[]).filter(
    ({ address }) => address === scenario.clock().address,
  );
  expect('entries of the clock', entries, listOf(1));
  return entries[0] ?? {};
};

Then('the list of clocks holds the clock', function (this: Scenario) {
  expect('rssi', listed(this)['rssi'], integerFrom(-127, -1));
});

Then(/^its advertisement is (.+)$/, function (this: Scenario, value: string) {
  expect('advertisement', listed(this)['advertisement'], JSON.parse(value));
});

Then(/^its advertisement has (\w+ from .+)$/, function (this: Scenario, ranges: string) {
  expect('advertisement', listed(this)['advertisement'], inRanges(ranges));
});

const records: Readonly<Record<string, (scenario: Scenario) => readonly [path: string, record: object]>> = {
  'the answer': (scenario) => ['', scenario.record],
  'the response': (scenario) => ['', response(scenario)],
  'the result': (scenario) => ['result', result(scenario)],
  'its entry': (scenario) => ['', listed(scenario)],
  'its store': (scenario) => ['store', scenario.record['store'] as JsonObject],
  'its advertisement': (scenario) => ['advertisement', listed(scenario)['advertisement'] as JsonObject],
};
for (const [noun, recordOf] of Object.entries(records)) {
  Then(new RegExp(`^${noun} has exactly (".+")$`), function (this: Scenario, names: string) {
    expect(...recordOf(this), exactly(quoted(names)));
  });

  Then(new RegExp(`^${noun} has "([^"]+)" (.+)$`), function (this: Scenario, field: string, value: string) {
    expect(...recordOf(this), fields({ [field]: JSON.parse(this.filled(value)) as unknown }));
  });

  Then(new RegExp(`^${noun} has (\\{.*\\})$`), function (this: Scenario, json: string) {
    expect(...recordOf(this), fields(JSON.parse(this.filled(json)) as JsonObject));
  });
}

When('I command {string} and the link is lost during it', async function (this: Scenario, type: string) {
  const command = this.command(addressed(this, type));
  await this.eventually('commands', fields({ [type]: above(0) }), async () => {
    return (await this.model(this.clock()))['commands'];
  });
  await this.control.fault({ type: 'link_loss', device: this.clock().address });
  await command;
});

When('I command {string} as soon as the link is lost', async function (this: Scenario, type: string) {
  await this.eventually('the clock in the list', false, () => isListed(this));
  await this.command(addressed(this, type));
});
