/** The requests of a client, and the responses of the server. */
import { Then, When } from '@cucumber/cucumber';
import { expect } from 'chai';
import { ErrorBody, ScanResponse, Status } from '../../src/dice/contract.js';
import type { Answer } from '../../simulators/testing/internal/http-client.js';
import { refusedAt } from '../clients/clients.js';
import { quoted } from '../support/fields.js';
import type { Scenario } from '../support/scenario.js';

const expectError = (answer: Answer, status: number): { error: string; code: string } => {
  expect(answer.status, answer.text).to.equal(status);
  expect(answer.headers.get('content-type')).to.match(/^application\/json\b/);
  expect(answer.json, answer.text).to.satisfy(ErrorBody.is);
  return answer.json as { error: string; code: string };
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
  this.answers = [await refusedAt(this.server.url, path)];
});

Then('the upgrade is refused with {int} and JSON', function (this: Scenario, status: number) {
  expectError(this.answer, status);
});

Then('the answer is {int}', function (this: Scenario, status: number) {
  expect(this.answer.status, this.answer.text).to.equal(status);
  if (status >= 400) expectError(this.answer, status);
});

Then('the answer is {int} or {int}', function (this: Scenario, status: number, other: number) {
  expect(this.answer.status, this.answer.text).to.be.oneOf([status, other]);
});

/** With any status of success, and any body of JSON or none. */
Then('the request succeeds', function (this: Scenario) {
  expect(this.answer.ok, `${this.answer.status} ${this.answer.text}`).to.equal(true);
});

/** With any body. */
Then('the answer has the status {int}', function (this: Scenario, status: number) {
  expect(this.answer.status, this.answer.text).to.equal(status);
});

Then('the answer is JSON, if it has a body', function (this: Scenario) {
  if (this.answer.text !== '') expect(this.answer.json, this.answer.text).to.not.equal(undefined);
});

/** With any status of an error, and any body. */
Then('the request fails', function (this: Scenario) {
  expect(this.answer.status, this.answer.text).to.be.within(400, 599);
});

Then('the answer has a text {string}', function (this: Scenario, field: string) {
  expect(this.record[field]).to.be.a('string').that.is.not.empty;
});

Then('all {int} answers are {int}', function (this: Scenario, count: number, status: number) {
  expect(this.answers.map((answer) => answer.status)).to.deep.equal(Array(count).fill(status));
});

Then(
  'all {int} answers are {int} with code {string}',
  function (this: Scenario, count: number, status: number, code: string) {
    expect(this.answers).to.have.lengthOf(count);
    for (const answer of this.answers) expect(expectError(answer, status).code).to.equal(code);
  },
);

Then(
  'some answers are {int} with code {string}, the others {int} with code {string}',
  function (this: Scenario, status: number, code: string, otherStatus: number, otherCode: string) {
    const codes = { [status]: code, [otherStatus]: otherCode };
    for (const answer of this.answers) {
      expect(expectError(answer, answer.status).code).to.equal(codes[answer.status]);
    }
    expect(new Set(this.answers.map((answer) => answer.status))).to.have.all.keys([status, otherStatus]);
  },
);

Then(
  'the answers with {int} have the header {string} in seconds',
  function (this: Scenario, status: number, header: string) {
    const values = this.answers.filter((answer) => answer.status === status);
    expect(values).to.not.be.empty;
    for (const { headers } of values) expect(headers.get(header)).to.match(/^[1-9][0-9]*$/);
  },
);

Then('the answer is {int} with code {string}', function (this: Scenario, status: number, code: string) {
  expect(expectError(this.answer, status).code, this.answer.text).to.equal(code);
});

Then('the answer is {int} naming {string}', function (this: Scenario, status: number, field: string) {
  expect(expectError(this.answer, status).error).to.contain(field);
});

Then('the message names {string}', function (this: Scenario, part: string) {
  expect(this.record['error']).to.contain(this.filled(part));
});

Then('the header {string} names {string}', function (this: Scenario, header: string, value: string) {
  expect(this.answer.headers.get(header)).to.contain(value);
});

Then("the answer's content type is {string}", function (this: Scenario, type: string) {
  expect(this.answer.headers.get('content-type')?.split(';')[0]).to.equal(type);
});

Then(
  'sooner or later {string} has a higher {string} than the last answer',
  async function (this: Scenario, path: string, field: string) {
    const before = Number(this.record[field]);
    await this.eventually(`${path} has a ${field} above ${before}`, async () => {
      const { json } = await this.server.get(this.filled(path));
      return Number((json as Readonly<Record<string, unknown>>)[field]) > before;
    });
  },
);

Then(
  'the answer has an integer {string} from {int} to {int}',
  function (this: Scenario, field: string, min: number, max: number) {
    expect(this.record[field]).to.satisfy(Number.isInteger).and.to.be.within(min, max);
  },
);

Then('the answer has no {string}, or one in the future', function (this: Scenario, field: string) {
  const value = this.record[field];
  if (value !== null) expect(Date.parse(value as string)).to.be.greaterThan(Date.now());
});

Then("the answer has the die's address and name", function (this: Scenario) {
  const { address, name } = this.die();
  expect(this.record).to.include({ address, name });
});

const STATUS = [
  ...['session_id', 'address', 'name', 'dice_type', 'connected', 'battery_level'],
  ...['color', 'charging', 'rssi', 'rolling', 'face'],
];
const DETAIL = ['label', 'maker', 'capabilities', 'leds', 'taps', 'lost_until'];

const expectStatus = (record: unknown, ...more: readonly string[]): void => {
  expect(record).to.satisfy(Status.is);
  expect(Object.keys(record as object)).to.have.members([...STATUS, ...more]);
};

Then('the answer is a status record', function (this: Scenario) {
  expectStatus(this.record);
});

Then('the answer is a detailed status record', function (this: Scenario) {
  expectStatus(this.record, ...DETAIL);
});

Then('the answer lists the status record of each die', function (this: Scenario) {
  const records = this.answer.json as readonly Readonly<Record<string, unknown>>[];
  for (const record of records) expectStatus(record, ...DETAIL);
  expect(records.map(({ address }) => address)).to.have.members(this.dice.map(({ address }) => address));
});

Then(/^the answer is an array of devices with exactly (".+")$/, function (this: Scenario, fields: string) {
  expect(this.answer.json).to.satisfy(ScanResponse.is);
  for (const device of this.answer.json as readonly object[]) {
    expect(Object.keys(device)).to.have.members(quoted(fields));
  }
});

Then('the server still answers', async function (this: Scenario) {
  const { status } = await this.server.get('/api/sessions');
  expect(status).to.equal(200);
});
