/** Steps that compare whole records: with the server's other answers, and with the devices. */
import { Given, Then, When } from '@cucumber/cucumber';
import {
  containing,
  expect,
  fields,
  having,
  integerFrom,
  listOf,
  listWith,
  matching,
  not,
  numberFrom,
} from '../expect/expect.js';
import { CLOCKS_APART_MS, now, timeBetween } from '../expect/times.js';
import type { DieRecord } from '../../src/dice/contract.js';
import type { Pages, RadioReport } from '../../src/contract/index.js';
import { httpClient } from '../clients/clients.js';
import { Skip } from '../actors/skip.js';
import type { Scenario } from '../support/scenario.js';

const listAt = async ({ server }: Scenario, path: string): Promise<readonly Record<string, unknown>[]> =>
  (await server.get(path)).json as readonly Record<string, unknown>[];

Then('the list of sessions has the answer', async function (this: Scenario) {
  const { record } = this;
  expect('', await listAt(this, '/api/sessions'), listWith(record));
});

/** The die may have been heard again meanwhile. */
Then('the list of dice has the answer', async function (this: Scenario) {
  const withoutTime = ({ last_seen: _, ...record }: Readonly<Record<string, unknown>>) => record;
  const { record } = this;
  const records = await listAt(this, '/api/dice');
  expect('', records.map(withoutTime), listWith(withoutTime(record)));
});

Then('the die was last seen within 30 s', async function (this: Scenario) {
  const expectTimes = (record: unknown): void => {
    const { last_seen } = record as DieRecord;
    expect('', record, fields({ last_seen: now(), first_seen: timeBetween(0, Date.parse(last_seen)) }));
  };
  expectTimes(this.record);
  const records = await listAt(this, '/api/dice');
  expectTimes(records.find(({ address }) => address === this.die().address));
});

Then('the die is given up at {string}', async function (this: Scenario, field: string) {
  const time = this.record[field];
  const mine = fields({ address: this.die().address });
  if (Date.parse(String(time)) - Date.now() > this.patience)
    throw new Skip(
      `needs a server that gives a lost die up within ${this.patience / 1000} s (--reconnect-secs)`,
    );
  await this.eventually('', not(listWith(mine)), () => listAt(this, '/api/sessions'));
  expect(field, time, now());
});

Then('its acceleration is that of the die', async function (this: Scenario) {
  const { resting } = await this.model(this.die());
  expect('acceleration', this.about(this.messages[0] ?? {})['acceleration'], resting);
});

Then(
  "sooner or later the die's face as a {word} is {int}",
  async function (this: Scenario, shell: string, face: number) {
    await this.eventually('faces', fields({ [shell]: face }), async () => {
      return (await this.model(this.die()))['faces'];
    });
  },
);

Then('its {string} is {int}', function (this: Scenario, field: string, value: number) {
  expect(field, this.about(this.messages[0] ?? {})[field], value);
});

Then('it is of now, and of this run of the server', async function (this: Scenario) {
  const { json } = await this.server.get('/health');
  const { instance, seq } = json as { readonly instance: string; readonly seq: number };
  const expected = { instance, seq: numberFrom(-Infinity, seq), time: now() };
  expect('', this.about(this.messages[0] ?? {}), fields(expected));
});

/** Servers that were started one by one know no pages of each other, and may have other radios. */
Given('servers of a rig', async function (this: Scenario) {
  const { json } = await this.server.get('/health');
  if ((json as { readonly pages: Pages | null }).pages === null) throw new Skip('needs the servers of a rig');
});

Then(
  'the answer has the {string} and {string} of the message',
  function (this: Scenario, one: string, two: string) {
    const [message] = this.messages;
    expect('', this.record, fields({ [one]: message?.[one], [two]: message?.[two] }));
  },
);

Then(
  /^its pages are those of this server, of a (?:dice|clock) server and of the simulation$/,
  async function (this: Scenario) {
    const { instance, pages } = this.record as { readonly instance: string; readonly pages: Pages };
    const healthOf = async ({ address, port }: Pages[keyof Pages]) =>
      (await httpClient(`http://${address}:${port}`).get('/health')).json as Readonly<
        Record<string, unknown>
      >;
    expect(`health of pages.${this.kind}`, await healthOf(pages[this.kind]), fields({ instance }));
    expect('health of pages.dice', await healthOf(pages.dice), having('sessions'));
    expect('health of pages.clock', await healthOf(pages.clock), having('clocks'));
    expect('health of pages.simulator', await healthOf(pages.simulator), having('devices'));
  },
);

Then(/^the answer has one radio that is up and has a link to each (?:die|clock)$/, function (this: Scenario) {
  const name = matching('an address such as "tcp:127.0.0.1:6402"', /^tcp:127\.0\.0\.1:\d+$/);
  const devices = [...this.dice, ...this.clocks];
  const expected = { name, up: true, problem: null, slots: null, devices: listOf(devices.length) };
  expect('', this.answer.json, [fields(expected)]);
  const [radio] = this.answer.json as readonly RadioReport[];
  for (const { address } of devices) {
    const device = { address, linked: true, rssi: integerFrom(-127, -1) };
    expect('[0].devices', radio?.devices, listWith(fields(device)));
  }
});

Then("it fits the server's metrics and radios", async function (this: Scenario) {
  const { started, node, radios } = this.record as { started: string; node: string; radios: unknown };
  const { text } = await this.server.get('/metrics');
  const start = Number(/^process_start_time_seconds (\d+)/m.exec(text)?.[1]) * 1000;
  expect('started', started, timeBetween(start - CLOCKS_APART_MS, start + CLOCKS_APART_MS));
  expect('metrics', text, containing(`nodejs_version_info{version="${node}"`));
  const names = (await listAt(this, '/radios')).map(({ name }) => name);
  expect('radios', radios, names);
});

/** The end of the scenario makes the log as it was. */
When('I set the log to {int}', async function (this: Scenario, verbose: number) {
  const { text } = await this.server.get('/log');
  this.afterwards.push(() => this.server.send({ method: 'PUT', path: '/log', body: text }));
  await this.call({ method: 'PUT', path: '/log', body: JSON.stringify({ verbose }) });
});

When('I begin {word} {string}', function (this: Scenario, method: string, path: string) {
  const leaving = new AbortController();
  this.afterwards.push(async () => {
    await Promise.resolve();
    leaving.abort();
  });
  void this.server.send({ method, path: this.filled(path), signal: leaving.signal }).then(
    ({ text }) => this.remembered.set('begun', text),
    () => undefined,
  );
});

Then('the request that I began has no answer yet', function (this: Scenario) {
  expect('answer', this.remembered.get('begun'), undefined);
});
