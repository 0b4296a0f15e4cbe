/** The requests of a client, and the responses of the server. */
import { Then, When, type DataTable } from '@cucumber/cucumber';
import {
  above,
  anyText,
  containing,
  exactly,
  expect,
  fields,
  formOf,
  inAnyOrder,
  integerFrom,
  matching,
  numberFrom,
  oneOf,
  that,
} from '../expect/expect.js';
import { ErrorBody, ScanResponse, Status } from '../../src/dice/contract.js';
import type { Answer, Call } from '../../simulators/testing/internal/http-client.js';
import { quoted } from '../support/fields.js';
import type { Scenario } from '../support/scenario.js';

const JSON_TYPE = matching('application/json', /^application\/json\b/);

const expectError = (
  answer: Answer,
  status: number,
  part: Partial<Record<keyof ErrorBody, unknown>> = {},
): void => {
  expect('status', answer.status, status);
  expect('header content-type', answer.headers.get('content-type'), JSON_TYPE);
  expect('', answer.json, formOf(ErrorBody, 'an error'));
  expect('', answer.json, fields(part));
};

When('I send {word} {string}', async function (this: Scenario, method: string, path: string) {
  await this.call({ method, path });
});

When(
  /^I send (\w+) "([^"]+)"(?: as "([^"]+)")? with (?!a )(.+)$/,
  async function (this: Scenario, method: string, path: string, type: string | null, body: string) {
    const headers = typeof type === 'string' ? { headers: { 'content-type': type } } : {};
    await this.call(method === 'GET' ? { method, path } : { method, path, body, ...headers });
  },
);

When(
  /^I send (\w+) "([^"]+)" (\d+) times concurrently(?: with (.+))?$/,
  async function (this: Scenario, method: string, path: string, times: number, body: string | null) {
    await this.call({ method, path, ...(typeof body === 'string' && { body }) }, times);
  },
);

When(
  'I send {word} {string} with a body of {int} bytes',
  async function (this: Scenario, method: string, path: string, bytes: number) {
    await this.call({ method, path, body: JSON.stringify({ address: 'x'.repeat(bytes) }) });
  },
);

When(
  'I send POST {string} with a {string} of {}',
  async function (this: Scenario, path: string, field: string, value: string) {
    const pulse = { session_id: this.die().session, count: 1, on_ms: 100, off_ms: 100, color: 'FFFFFF' };
    const body = JSON.stringify({ ...pulse, [field]: JSON.parse(value) as unknown });
    await this.call({ method: 'POST', path, body });
  },
);

When('I ask for an upgrade of {string}', async function (this: Scenario, path: string) {
  this.answers = [await this.refused(path)];
});

Then('the upgrade is refused with {int} and JSON', function (this: Scenario, status: number) {
  expectError(this.answer, status);
});

Then('the answer is {int}', function (this: Scenario, status: number) {
  expect('status', this.answer.status, status);
  if (status >= 400) expectError(this.answer, status);
});

Then('the answer is {int} or {int}', function (this: Scenario, status: number, other: number) {
  expect('status', this.answer.status, oneOf([status, other]));
});

const SUCCESS = numberFrom(200, 299);

/** With any status of success, and any body of JSON or none. */
Then('the request succeeds', function (this: Scenario) {
  expect('status', this.answer.status, SUCCESS);
});

/** With any body. */
Then('the answer has the status {int}', function (this: Scenario, status: number) {
  expect('status', this.answer.status, status);
});

Then('the answer is JSON, if it has a body', function (this: Scenario) {
  const { text, json } = this.answer;
  if (text !== '')
    expect(
      'body',
      json,
      that('JSON', (value) => value !== undefined),
    );
});

/** With any status of an error, and any body. */
Then('the request fails', function (this: Scenario) {
  expect('status', this.answer.status, numberFrom(400, 599));
});

Then('the answer has a text {string}', function (this: Scenario, field: string) {
  expect(field, this.record[field], anyText);
});

Then('all {int} answers are {int}', function (this: Scenario, count: number, status: number) {
  expect('number of answers', this.answers.length, count);
  for (const answer of this.answers) expect('status', this.about(answer).status, status);
});

Then(
  'all {int} answers are {int} with code {string}',
  function (this: Scenario, count: number, status: number, code: string) {
    expect('number of answers', this.answers.length, count);
    for (const answer of this.answers) expectError(this.about(answer), status, { code });
  },
);

Then(
  'some answers are {int} with code {string}, the others {int} with code {string}',
  function (this: Scenario, status: number, code: string, otherStatus: number, otherCode: string) {
    const codes = { [status]: code, [otherStatus]: otherCode };
    for (const answer of this.answers) {
      expectError(this.about(answer), answer.status, { code: codes[answer.status] });
    }
    const statuses = new Set(this.answers.map((answer) => answer.status));
    expect('statuses of the answers', [...statuses], inAnyOrder([status, otherStatus]));
  },
);

Then(
  'the answers with {int} have the header {string} in seconds',
  function (this: Scenario, status: number, header: string) {
    const values = this.answers.filter((answer) => answer.status === status);
    expect(`number of answers with ${status}`, values.length, above(0));
    const seconds = matching('whole seconds', /^[1-9][0-9]*$/);
    for (const answer of values) expect(`header ${header}`, this.about(answer).headers.get(header), seconds);
  },
);

Then('the answer is {int} with code {string}', function (this: Scenario, status: number, code: string) {
  expectError(this.answer, status, { code });
});

Then('the answer is {int} naming {string}', function (this: Scenario, status: number, field: string) {
  expectError(this.answer, status, { error: containing(field) });
});

Then('the message names {string}', function (this: Scenario, part: string) {
  expect('error', this.record['error'], containing(this.filled(part)));
});

Then('the header {string} names {string}', function (this: Scenario, header: string, value: string) {
  expect(`header ${header}`, this.answer.headers.get(header), containing(value));
});

Then("the answer's content type is {string}", function (this: Scenario, type: string) {
  expect('header content-type', this.answer.headers.get('content-type')?.split(';')[0], type);
});

Then(
  'sooner or later {string} has a higher {string} than the last answer',
  async function (this: Scenario, path: string, field: string) {
    const before = Number(this.record[field]);
    await this.eventually('', fields({ [field]: above(before) }), async () => {
      return (await this.server.get(this.filled(path))).json;
    });
  },
);

Then(
  'the answer has an integer {string} from {int} to {int}',
  function (this: Scenario, field: string, min: number, max: number) {
    expect(field, this.record[field], integerFrom(min, max));
  },
);

Then('the answer has no {string}, or one in the future', function (this: Scenario, field: string) {
  const value = this.record[field];
  const future = that(
    'null or a time in the future',
    (time) => time === null || (typeof time === 'string' && Date.parse(time) > Date.now()),
  );
  expect(field, value, future);
});

Then("the answer has the die's address and name", function (this: Scenario) {
  const { address, name } = this.die();
  expect('', this.record, fields({ address, name }));
});

const STATUS = [
  ...['session_id', 'address', 'name', 'dice_type', 'connected', 'battery_level'],
  ...['color', 'charging', 'rssi', 'rolling', 'face'],
];
const DETAIL = ['label', 'maker', 'capabilities', 'leds', 'taps', 'lost_until'];

const expectStatus = (field: string, record: unknown, ...more: readonly string[]): void => {
  expect(field, record, exactly([...STATUS, ...more]));
  expect(field, record, formOf(Status, 'a status record'));
};

Then('the answer is a status record', function (this: Scenario) {
  expectStatus('', this.record);
});

Then('the answer is a detailed status record', function (this: Scenario) {
  expectStatus('', this.record, ...DETAIL);
});

Then('the answer lists the status record of each die', function (this: Scenario) {
  const records = this.answer.json as readonly Readonly<Record<string, unknown>>[];
  for (const [index, record] of records.entries()) expectStatus(`[${index}]`, record, ...DETAIL);
  const addresses = records.map(({ address }) => address);
  expect('addresses of the records', addresses, inAnyOrder(this.dice.map(({ address }) => address)));
});

Then(/^the answer is an array of devices with exactly (".+")$/, function (this: Scenario, names: string) {
  expect('', this.answer.json, formOf(ScanResponse, 'an array of devices'));
  for (const [index, device] of (this.answer.json as readonly object[]).entries()) {
    expect(`[${index}]`, device, exactly(quoted(names)));
  }
});

Then('the server still answers', async function (this: Scenario) {
  const { status } = await this.server.get('/api/sessions');
  expect('status', status, 200);
});

/** Sends the requests of a table, and expects the same error of each. Columns: the method and the path; the body. */
const expectErrors = async (
  scenario: Scenario,
  status: number,
  part: Readonly<Record<'code' | 'error', unknown>>,
  requests: DataTable,
  wrong: Readonly<Pick<Call, 'headers'> & { body?: string }> = {},
): Promise<void> => {
  for (const [request = '', body = ''] of requests.raw()) {
    const [method = '', path = ''] = request.split(' ');
    await scenario.call({ method, path, ...(body !== '' && { body }), ...wrong });
    expectError(scenario.answer, status, part);
  }
};

Then(
  /^these requests are answered with (\d+) and code "(\w+)"(?:, naming "([^"]+)")?$/,
  async function (this: Scenario, status: number, code: string, part: string | null, requests: DataTable) {
    const error = containing(this.filled(part ?? ''));
    await expectErrors(this, status, { code, error }, requests);
  },
);

const BAD_BODIES = {
  'broken JSON': { body: '{' },
  'plain text': { body: '{}', headers: { 'content-type': 'text/plain' } },
  '100 KB of JSON': { body: JSON.stringify('x'.repeat(100_000)) },
};

Then(
  /^(broken JSON|plain text|100 KB of JSON) as a body is answered with (\d+) and code "(\w+)"$/,
  async function (
    this: Scenario,
    what: keyof typeof BAD_BODIES,
    status: number,
    code: string,
    requests: DataTable,
  ) {
    await expectErrors(this, status, { code, error: anyText }, requests, BAD_BODIES[what]);
  },
);
