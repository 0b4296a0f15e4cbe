/** Steps that compare whole records: with the server's other answers, and with the devices. */
import { Then, When } from '@cucumber/cucumber';
import { expect } from 'chai';
import type { DieRecord } from '../../src/dice/contract.js';
import type { Pages, RadioReport } from '../../src/contract/index.js';
import { httpClient } from '../clients/clients.js';
import { CLOCKS_APART_MS, expectNow } from '../support/now.js';
import type { Scenario } from '../support/scenario.js';

const listAt = async ({ server }: Scenario, path: string): Promise<readonly Record<string, unknown>[]> =>
  (await server.get(path)).json as readonly Record<string, unknown>[];

Then('the list of sessions has the answer', async function (this: Scenario) {
  expect(await listAt(this, '/api/sessions')).to.deep.include(this.record);
});

/** The die may have been heard again meanwhile. */
Then('the list of dice has the answer', async function (this: Scenario) {
  const withoutTime = ({ last_seen: _, ...record }: Readonly<Record<string, unknown>>) => record;
  const records = await listAt(this, '/api/dice');
  expect(records.map(withoutTime)).to.deep.include(withoutTime(this.record));
});

Then('the die was last seen within 30 s', async function (this: Scenario) {
  const records = await listAt(this, '/api/dice');
  const listed = records.find(({ address }) => address === this.die().address);
  for (const record of [this.record, listed]) {
    const { first_seen, last_seen } = record as unknown as DieRecord;
    expectNow(last_seen);
    expect(Date.parse(first_seen)).to.be.at.most(Date.parse(last_seen));
  }
});

Then('the die is given up at {string}', async function (this: Scenario, field: string) {
  const time = this.record[field];
  await this.eventually('the session ends', async () => {
    const sessions = await listAt(this, '/api/sessions');
    return !sessions.some(({ address }) => address === this.die().address);
  });
  expectNow(time);
});

Then('its acceleration is that of the die', async function (this: Scenario) {
  const { resting } = await this.model(this.die());
  expect(this.messages[0]).to.have.deep.property('acceleration', resting);
});

Then(
  "sooner or later the die's face as a {word} is {int}",
  async function (this: Scenario, shell: string, face: number) {
    await this.eventually(`its face as a ${shell} is ${face}`, async () => {
      const { faces } = await this.model(this.die());
      return (faces as Readonly<Record<string, number>>)[shell] === face;
    });
  },
);

Then('its {string} is {int}', function (this: Scenario, field: string, value: number) {
  expect(this.messages[0]).to.have.property(field, value);
});

Then('it is of now, and of this run of the server', async function (this: Scenario) {
  const { json } = await this.server.get('/health');
  const { instance, seq } = json as { readonly instance: string; readonly seq: number };
  const [message] = this.messages;
  expect(message).to.include({ instance });
  expect(message?.['seq']).to.be.at.most(seq);
  expectNow(message?.['time']);
});

Then(
  'the answer has the {string} and {string} of the message',
  function (this: Scenario, one: string, two: string) {
    const [message] = this.messages;
    expect(this.record).to.include({ [one]: message?.[one], [two]: message?.[two] });
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
    expect(await healthOf(pages[this.kind])).to.include({ instance });
    expect(await healthOf(pages.dice)).to.have.property('sessions');
    expect(await healthOf(pages.clock)).to.have.property('clocks');
    expect(await healthOf(pages.simulator)).to.have.property('devices');
  },
);

Then(/^the answer has one radio that is up and has a link to each (?:die|clock)$/, function (this: Scenario) {
  const [radio, ...others] = this.answer.json as readonly RadioReport[];
  expect(others).to.be.empty;
  const { name, up, problem, slots, devices = [] } = radio ?? {};
  expect({ up, problem, slots }).to.deep.equal({ up: true, problem: null, slots: null });
  expect(name).to.match(/^tcp:127\.0\.0\.1:\d+$/);
  expect(devices.map(({ address, linked }) => ({ address, linked }))).to.have.deep.members(
    [...this.dice, ...this.clocks].map(({ address }) => ({ address, linked: true })),
  );
  for (const { rssi } of devices) expect(rssi).to.satisfy(Number.isInteger).and.to.be.below(0);
});

Then("it fits the server's metrics and radios", async function (this: Scenario) {
  const { started, node, radios } = this.record as { started: string; node: string; radios: unknown };
  const { text } = await this.server.get('/metrics');
  const start = Number(/^process_start_time_seconds (\d+)/m.exec(text)?.[1]) * 1000;
  expect(Date.parse(started)).to.be.closeTo(start, CLOCKS_APART_MS);
  expect(text).to.contain(`nodejs_version_info{version="${node}"`);
  expect(radios).to.deep.equal((await listAt(this, '/radios')).map(({ name }) => name));
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
  expect(this.remembered.get('begun')).to.be.undefined;
});
