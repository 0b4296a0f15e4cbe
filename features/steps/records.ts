/** Steps about the devices, rolls and readings that a server remembers. */
import { Then, When, type DataTable } from '@cucumber/cucumber';
import { about, expect, fields, listOf, Mismatch, not, numberFrom } from '../expect/expect.js';
import type { ClockRecord, HistoryPoint } from '../../src/clock/contract.js';
import type { DieRecord, Roll, RollPage } from '../../src/dice/contract.js';
import { since, sinceStart } from './server-time.js';
import type { Scenario } from '../support/scenario.js';

const MOST = 10_000;

/** The record of the scenario's die. */
const recordOf = async (scenario: Scenario): Promise<DieRecord> => {
  const { address } = scenario.die();
  const { json } = await scenario.server.get('/api/dice');
  const record = (json as readonly DieRecord[]).find((die) => die.address === address);
  if (record === undefined) throw new Mismatch(`${address}: expected in the list, but missing`);
  return record;
};

/** The record of the scenario's clock. */
const clockRecordOf = async (scenario: Scenario): Promise<ClockRecord> => {
  const { address } = scenario.clock();
  const { json } = await scenario.server.get('/api/clocks');
  const record = (json as readonly ClockRecord[]).find((clock) => clock.address === address);
  if (record === undefined) throw new Mismatch(`${address}: expected in the list, but missing`);
  return record;
};

const rollsAt = async (scenario: Scenario, query: string): Promise<readonly Roll[]> =>
  ((await scenario.server.get(`/api/rolls?limit=${MOST}${scenario.filled(query)}`)).json as RollPage).rolls;

/** Rolls without those of a person's attempts, which `listed` does not have. */
const withoutAttempts = <A extends { readonly id: number }>(
  { hands, listed }: Scenario,
  rolls: readonly A[],
): readonly A[] =>
  hands.actors.roll?.tries === true ? rolls.filter(({ id }) => listed.some((roll) => roll.id === id)) : rolls;

/** The end of the scenario makes the die as it was. */
When(/^I set (\{.*\}) of the die$/, async function (this: Scenario, body: string) {
  const { address } = this.die();
  const { label, keep_connected } = await recordOf(this);
  this.afterwards.push(() =>
    this.server.send({
      method: 'PATCH',
      path: `/api/dice/${address}`,
      body: JSON.stringify({ label, keep_connected }),
    }),
  );
  await this.call({ method: 'PATCH', path: '/api/dice/<address>', body });
});

Then(/^the server remembers (\{.*\}) of the die$/, async function (this: Scenario, json: string) {
  const expected = fields(JSON.parse(this.filled(json)) as Partial<DieRecord>);
  expect(this.die().address, await recordOf(this), expected);
});

/** The end of the scenario makes the clock as it was. */
When(
  /^I command "(set_label|keep_connected)" with "(label|keep_connected)" (.+)$/,
  async function (this: Scenario, type: string, field: 'label' | 'keep_connected', value: string) {
    const { address } = this.clock();
    const before = (await clockRecordOf(this))[field];
    this.afterwards.push(() => this.command({ type, address, [field]: before }));
    await this.command({ type, address, [field]: JSON.parse(value) as unknown });
  },
);

Then(/^the server remembers (\{.*\}) of the clock$/, async function (this: Scenario, json: string) {
  const expected = fields(JSON.parse(this.filled(json)) as Partial<ClockRecord>);
  expect(this.clock().address, await clockRecordOf(this), expected);
});

Then('the clock was first and last seen since then', async function (this: Scenario) {
  const { first_seen, last_seen } = await clockRecordOf(this);
  expect('first_seen', first_seen, await sinceStart(this));
  expect('last_seen', last_seen, await since(this, Date.parse(first_seen)));
});

const DAY_MS = 86_400_000;

Then(
  "sooner or later the clock's history is one day with temperature {float}, humidity {float} and battery {int}",
  async function (this: Scenario, temperature: number, humidity: number, battery: number) {
    const figures = (value: number) => ({ mean: value, min: value, max: value });
    const expected = { temperature: figures(temperature), humidity: figures(humidity), battery };
    let day = '';
    await this.eventually('', [expected], async () => {
      const { json } = await this.server.get(`/api/devices/${this.clock().address}/history?step=86400`);
      return (json as readonly HistoryPoint[]).map(({ time, ...point }) => {
        day = time;
        return point;
      });
    });
    const end = new Date(Date.parse(day) + DAY_MS).toISOString();
    expect('end of the day', end, await sinceStart(this));
  },
);

const historyOf = async (scenario: Scenario): Promise<readonly HistoryPoint[]> => {
  const { json } = await scenario.server.get(`/api/devices/${scenario.clock().address}/history?step=60`);
  return json as readonly HistoryPoint[];
};

Then(
  "sooner or later the clock's history has temperatures from {float} to {float}",
  async function (this: Scenario, min: number, max: number) {
    await this.eventually('temperatures', { min, max }, async () => {
      const figures = (await historyOf(this)).map(({ temperature }) => temperature);
      return {
        min: Math.min(...figures.map((figure) => figure.min)),
        max: Math.max(...figures.map((figure) => figure.max)),
      };
    });
  },
);

Then("the clock's history has no temperature below {float}", async function (this: Scenario, limit: number) {
  const points = await historyOf(this);
  expect('history', points, not([]));
  for (const [index, { temperature }] of points.entries())
    expect(`[${index}].temperature.min`, temperature.min, numberFrom(limit, Infinity));
});

/** A kept die has a session that no client has asked for. */
Then(
  /^sooner or later the server has (connected|lost) the die$/,
  async function (this: Scenario, how: 'connected' | 'lost') {
    await this.eventually('connected', how === 'connected', async () => {
      const { connected, session_id } = await recordOf(this);
      this.die().session = session_id ?? undefined;
      return connected;
    });
  },
);

/** Lists the rolls of the scenario's sessions; of a person's rolls those that came to the face of a step. */
When('I list the rolls', async function (this: Scenario) {
  await this.call({ method: 'GET', path: `/api/rolls?limit=${MOST}` });
  const sessions = this.dice.map(({ session }) => session);
  const { rolls } = this.answer.json as RollPage;
  this.listed = rolls.filter(({ session_id }) => sessions.includes(session_id));
  if (this.hands.actors.roll?.tries !== true) return;
  const faces = [...this.rolled];
  this.listed = this.listed.filter(({ face }) => face === faces.at(-1) && faces.pop() !== undefined);
});

/** `6 of die 1, then 5 of die 2`, or `6, then 5`, of the only die. */
Then(
  /^they are (\d+(?: of die \d+)?(?:, then \d+(?: of die \d+)?)*)$/,
  function (this: Scenario, list: string) {
    const expected = list.split(', then ').map((roll) => {
      const [face, , , number = '1'] = roll.split(' ');
      const { address, type, session } = this.die(Number(number));
      return { address, dice_type: type, face: Number(face), ended: 'Stable', session_id: session };
    });
    const rolls = this.listed.map(({ id: _, time: __, ...roll }) => roll);
    expect('my rolls', rolls, expected);
  },
);

/** Rows: face, dice_type and ended of each roll. */
Then('the rolls of the die are, the newest first', async function (this: Scenario, table: DataTable) {
  const rolls = await rollsAt(this, '&address=<address>');
  const listed = rolls.map(({ face, dice_type, ended }) => ({ face: String(face), dice_type, ended }));
  expect('rolls', listed, table.hashes());
});

Then('the same rolls are listed', async function (this: Scenario) {
  const before = (this.answer.json as RollPage).rolls;
  expect('rolls', await rollsAt(this, ''), before);
});

const expectRolls = (scenario: Scenario, numbers: readonly number[]): void => {
  const { rolls } = scenario.answer.json as RollPage;
  const oldestFirst = [...scenario.listed].reverse();
  const expected = numbers.map((number) => oldestFirst[number - 1]);
  expect('rolls', withoutAttempts(scenario, rolls), expected);
};

/** Numbered in the order in which they were rolled. */
Then(/^the answer has rolls? (\d+(?: and \d+)*) alone$/, function (this: Scenario, numbers: string) {
  expectRolls(this, numbers.split(' and ').map(Number));
});

Then('the answer has no roll', function (this: Scenario) {
  expectRolls(this, []);
});

When('I read {string} in pages of {int}', async function (this: Scenario, path: string, limit: number) {
  const pages: RollPage[] = [];
  let next: number | null = null;
  do {
    const cursor: string = next === null ? '' : `&cursor=${next}`;
    const { json } = await this.server.get(`${this.filled(path)}&limit=${limit}${cursor}`);
    pages.push(json as RollPage);
    ({ next } = json as RollPage);
  } while (next !== null);
  for (const { rolls } of pages.slice(0, -1)) expect('rolls of a page', rolls, listOf(limit));
  this.remembered.set('pages', pages);
});

Then('the pages have each roll once, in order', function (this: Scenario) {
  const pages = this.remembered.get('pages') as readonly RollPage[];
  const rolls = pages.flatMap((page) => page.rolls);
  expect('rolls of all pages', withoutAttempts(this, rolls), this.listed);
});

When(
  'I send {word} {string} accepting {string}',
  async function (this: Scenario, method: string, path: string, accept: string) {
    await this.call({ method, path, headers: { accept } });
  },
);

Then('each roll is a line of JSON', function (this: Scenario) {
  const lines = this.answer.text.trimEnd().split('\n');
  const rolls = lines.map((line) => JSON.parse(line) as Roll);
  expect('rolls', withoutAttempts(this, rolls), this.listed);
});

/** A session id may begin with `-`, which a spreadsheet would take for a formula. */
const cellOf = (value: unknown): string => String(value).replace(/^[=+\-@]/, "'$&");

Then('each roll is a row below {string}', function (this: Scenario, header: string) {
  const [first, ...rows] = this.answer.text.trimEnd().split('\r\n');
  expect('first row', first, header);
  const columns = header.split(',') as (keyof Roll)[];
  const rolls = rows.map((row) => ({ id: Number(row.split(',')[0]), row }));
  const expected = this.listed.map((roll) => columns.map((column) => cellOf(roll[column])).join(','));
  const received = withoutAttempts(this, rolls).map(({ row }) => row);
  expect('rows', received, expected);
});

Then('the answer counts the faces of these rolls', async function (this: Scenario) {
  const rolls = await rollsAt(this, '&address=<address>&from=<rolled 1>');
  const faces = rolls.map(({ face }) => face);
  const counts = Object.fromEntries(
    [1, 2, 3, 4, 5, 6].map((side) => [side, faces.filter((face) => face === side).length]),
  );
  const mean = faces.reduce((all, face) => all + face, 0) / rolls.length;
  const each = rolls.length / 6;
  const squares = Object.values(counts).map((count) => (count - each) ** 2 / each);
  const chiSquared = squares.reduce((all, square) => all + square, 0);
  const runs = faces.map((face, first) => {
    const end = faces.findIndex((later, index) => index > first && later !== face);
    return (end === -1 ? faces.length : end) - first;
  });
  const expected = {
    ...{ rolls: rolls.length, counts, expected: each, mean, longest_run: Math.max(...runs) },
    chi_squared: about(chiSquared, 1e-6),
  };
  expect('', this.answer.json, fields(expected));
});

Then('the answer has a {string} of {float}', function (this: Scenario, field: string, value: number) {
  expect(field, this.record[field], about(value, 1e-4));
});

When('I delete {string}', async function (this: Scenario, path: string) {
  const { json } = await this.server.get(`${this.filled(path)}&limit=${MOST}`);
  this.remembered.set('deleted', (json as RollPage).rolls.length);
  await this.call({ method: 'DELETE', path });
});

Then('the answer counts the rolls that it deleted', function (this: Scenario) {
  expect('', this.record, { deleted: this.remembered.get('deleted') });
});
