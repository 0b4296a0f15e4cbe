import { Then, When } from '@cucumber/cucumber';
import { expect } from 'chai';
import type { DiscoveredDevice, Status } from '../../src/dice/contract.js';
import type { Scenario } from '../support/scenario.js';

const sessions = async (scenario: Scenario): Promise<readonly Status[]> =>
  (await scenario.server.get('/api/sessions')).json as readonly Status[];

const status = async (scenario: Scenario, number = 1): Promise<Readonly<Record<string, unknown>>> => {
  const answer = await scenario.server.get(`/api/status/${scenario.die(number).session ?? ''}`);
  expect(answer.status, answer.text).to.equal(200);
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
  expect(ids[0]).to.be.a('string');
  expect(ids).to.deep.equal([ids[0], ids[0]]);
});

Then('each die has a session id of its own', function (this: Scenario) {
  expect(new Set(this.dice.map(({ session }) => session)).size).to.equal(this.dice.length);
});

Then('the session id is the same', function (this: Scenario) {
  expect(this.record['session_id']).to.be.a('string').and.to.equal(this.remembered.get('session'));
});

Then('the session id is another one of at least {int} characters', function (this: Scenario, length: number) {
  expect(this.record['session_id']).to.be.a('string').with.lengthOf.at.least(length);
  expect(this.record['session_id']).to.not.equal(this.remembered.get('session'));
});

Then('no session is open', async function (this: Scenario) {
  expect(await sessions(this)).to.be.empty;
});

Then('{int} session is open', async function (this: Scenario, count: number) {
  expect(await sessions(this)).to.have.lengthOf(count);
});

Then('sooner or later no session is open', async function (this: Scenario) {
  await this.eventually('no session is open', async () => (await sessions(this)).length === 0);
});

Then('the session is still open', async function (this: Scenario) {
  expect((await sessions(this)).map(({ session_id }) => session_id)).to.deep.equal([this.die().session]);
});

Then('the list of sessions shows it not connected and not rolling', async function (this: Scenario) {
  const [session] = await sessions(this);
  expect(session).to.include({ connected: false, rolling: false });
});

Then(/^the list of sessions shows (\{.*\})$/, async function (this: Scenario, fields: string) {
  const [session] = await sessions(this);
  expect(session).to.deep.include(JSON.parse(fields) as Partial<Status>);
});

Then('the status of each session shows its own die', async function (this: Scenario) {
  for (const [index, die] of this.dice.entries()) {
    expect(await status(this, index + 1)).to.include({ address: die.address, session_id: die.session });
  }
});

Then("the status has the die's address", async function (this: Scenario) {
  expect(await status(this)).to.include({ address: this.die().address });
});

Then(/^the status has "([^"]+)" (.+)$/, async function (this: Scenario, field: string, value: string) {
  expect((await status(this))[field]).to.deep.equal(JSON.parse(value));
});

Then(
  /^sooner or later the status has "([^"]+)" (.+)$/,
  async function (this: Scenario, field: string, value: string) {
    await this.eventually(
      `its ${field} is ${value}`,
      async () => JSON.stringify((await status(this))[field]) === value,
    );
  },
);

/** Asks the die's model, or else scans, since a connected die does not advertise. */
Then('the die is not connected', async function (this: Scenario) {
  await this.eventually('the die is not connected', async () => {
    const model = await this.modelIfKnown(this.die());
    if (model !== undefined) return model['connected'] === false;
    const { json } = await this.server.post('/api/scan');
    return (json as readonly DiscoveredDevice[]).some(({ address }) => address === this.die().address);
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
  expect(leds).to.deep.equal(scenario.maker === 'Pixels' ? leds.map(() => colours[0]) : colours);
};

Then("the die's LEDs are {string} and {string}", async function (this: Scenario, one: string, two: string) {
  await expectLeds(this, [one, two]);
});

Then("the die's LEDs are the last colour and {string}", async function (this: Scenario, two: string) {
  await expectLeds(this, [this.lastColour, two]);
});

Then('the die received no LED command', async function (this: Scenario) {
  expect((await this.model(this.die()))['commands']).to.not.have.any.keys('08', '10', '14');
});

Then(/^the die pulses (\{.*\})$/, async function (this: Scenario, fields: string) {
  expect((await this.model(this.die()))['pulse']).to.include(JSON.parse(fields));
});

Then(
  'the die blinks {string} {int} times in {int} ms',
  async function (this: Scenario, color: string, count: number, duration_ms: number) {
    expect((await this.model(this.die()))['blink']).to.include({ color, count, duration_ms });
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
  expect({ face, ...corrected }).to.deep.equal({ face: 5, x: 0, y: 0, z: -64 });
});
