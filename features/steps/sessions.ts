import { Then, When } from '@cucumber/cucumber';
import { anyText, expect, fields, listOf, not, that } from '../expect/expect.js';
import type { DiscoveredDevice, Status } from '../../src/dice/contract.js';
import type { Scenario } from '../support/scenario.js';

const sessions = async (scenario: Scenario): Promise<readonly Status[]> =>
  (await scenario.server.get('/api/sessions')).json as readonly Status[];

const status = async (scenario: Scenario, number = 1): Promise<Readonly<Record<string, unknown>>> => {
  const answer = await scenario.server.get(`/api/status/${scenario.die(number).session ?? ''}`);
  expect('status', answer.status, 200);
  return answer.json as Readonly<Record<string, unknown>>;
};

When(/^I connect the die(?: again)?(?: as (\S+))?$/, async function (this: Scenario, type: string | null) {
  this.remembered.set('session', this.die().session);
  await this.connect(this.die(), typeof type === 'string' ? { dice_type: type } : {});
});

When('I connect the die by its address in lower case', async function (this: Scenario) {
  await this.connect(this.die(), { address: this.die().address.toLowerCase() });
});

When('I connect the die twice concurrently', async function (this: Scenario) {
  await this.call({ method: 'POST', path: '/api/connect', body: '{"address": "<address>"}' }, 2);
});

When('I disconnect the die', async function (this: Scenario) {
  await this.call({ method: 'POST', path: '/api/disconnect', body: '{"session_id": "<session>"}' });
});

Then('both answers have the same session id', function (this: Scenario) {
  const ids = this.answers.map(({ json }) => (json as { session_id?: unknown }).session_id);
  expect('session_id', ids[0], anyText);
  expect('session ids of the answers', ids, [ids[0], ids[0]]);
});

Then('each die has a session id of its own', function (this: Scenario) {
  const ids = new Set(this.dice.map(({ session }) => session));
  expect('number of session ids', ids.size, this.dice.length);
});

Then('the session id is the same', function (this: Scenario) {
  expect('session_id', this.record['session_id'], anyText);
  expect('session_id', this.record['session_id'], this.remembered.get('session'));
});

Then('the session id is another one of at least {int} characters', function (this: Scenario, length: number) {
  const long = that(
    `a text of at least ${length} characters`,
    (id) => typeof id === 'string' && id.length >= length,
  );
  expect('session_id', this.record['session_id'], long);
  expect('session_id', this.record['session_id'], not(this.remembered.get('session')));
});

Then('no session is open', async function (this: Scenario) {
  expect('sessions', await sessions(this), []);
});

Then('{int} session is open', async function (this: Scenario, count: number) {
  expect('sessions', await sessions(this), listOf(count));
});

Then('sooner or later no session is open', async function (this: Scenario) {
  await this.eventually('sessions', [], () => sessions(this));
});

Then('the session is still open', async function (this: Scenario) {
  expect('', await sessions(this), [fields({ session_id: this.die().session })]);
});

Then('the list of sessions shows it not connected and not rolling', async function (this: Scenario) {
  const [session] = await sessions(this);
  expect('[0]', session, fields({ connected: false, rolling: false }));
});

Then(/^the list of sessions shows (\{.*\})$/, async function (this: Scenario, json: string) {
  const [session] = await sessions(this);
  expect('[0]', session, fields(JSON.parse(json) as Partial<Status>));
});

Then('the status of each session shows its own die', async function (this: Scenario) {
  for (const [index, die] of this.dice.entries()) {
    const expected = fields({ address: die.address, session_id: die.session });
    expect('', await status(this, index + 1), expected);
  }
});

Then("the status has the die's address", async function (this: Scenario) {
  expect('', await status(this), fields({ address: this.die().address }));
});

Then(/^the status has "([^"]+)" (.+)$/, async function (this: Scenario, field: string, value: string) {
  expect(field, (await status(this))[field], JSON.parse(value));
});

Then(
  /^sooner or later the status has "([^"]+)" (.+)$/,
  async function (this: Scenario, field: string, value: string) {
    await this.eventually(field, JSON.parse(value), async () => (await status(this))[field]);
  },
);

/** Asks the die's model, or else scans, since a connected die does not advertise. */
Then('the die is not connected', async function (this: Scenario) {
  await this.eventually('connected', false, async () => {
    const model = await this.modelIfKnown(this.die());
    if (model !== undefined) return model['connected'];
    const { json } = await this.server.post('/api/scan');
    return !(json as readonly DiscoveredDevice[]).some(({ address }) => address === this.die().address);
  });
});

When('I set LED 1 to {int} colours in a row', async function (this: Scenario, count: number) {
  const colours = Array.from({ length: count }, (_, n) => n.toString(16).padStart(6, '0').toUpperCase());
  this.lastColour = colours.at(-1);
  this.answers = await this.server.sendInOrder(
    colours.map((led1) => ({
      method: 'POST',
      path: '/api/led',
      body: JSON.stringify({ session_id: this.die().session, led1 }),
    })),
  );
});

/** All LEDs of a Pixels die show the first colour. */
const expectLeds = async (scenario: Scenario, colours: readonly unknown[]): Promise<void> => {
  const leds = (await scenario.model(scenario.die()))['leds'] as readonly unknown[];
  expect('leds', leds, scenario.maker === 'Pixels' ? leds.map(() => colours[0]) : colours);
};

Then("the die's LEDs are {string} and {string}", async function (this: Scenario, one: string, two: string) {
  await expectLeds(this, [one, two]);
});

Then("the die's LEDs are the last colour and {string}", async function (this: Scenario, two: string) {
  await expectLeds(this, [this.lastColour, two]);
});

Then('the die received no LED command', async function (this: Scenario) {
  const none = fields({ '08': undefined, '10': undefined, '14': undefined });
  expect('commands', (await this.model(this.die()))['commands'], none);
});

Then(/^the die pulses (\{.*\})$/, async function (this: Scenario, json: string) {
  expect(
    'pulse',
    (await this.model(this.die()))['pulse'],
    fields(JSON.parse(json) as Readonly<Record<string, unknown>>),
  );
});

Then(
  'the die blinks {string} {int} times in {int} ms',
  async function (this: Scenario, color: string, count: number, duration_ms: number) {
    expect('blink', (await this.model(this.die()))['blink'], fields({ color, count, duration_ms }));
  },
);

When('I calibrate the die while it is turned to {int}', async function (this: Scenario, face: number) {
  const call = this.call({ method: 'POST', path: '/api/calibrate', body: '{"session_id": "<session>"}' });
  await this.perform(this.die(), { type: 'turn', die: 'd6', face });
  await call;
});

Then('the offset leads from the resting acceleration to the face', async function (this: Scenario) {
  const { face, offset } = this.record as { face: number; offset: { x: number; y: number; z: number } };
  const resting = (await this.model(this.die()))['resting'] as typeof offset;
  const corrected = { x: resting.x + offset.x, y: resting.y + offset.y, z: resting.z + offset.z };
  expect('face and corrected acceleration', { face, ...corrected }, { face: 5, x: 0, y: 0, z: -64 });
});
