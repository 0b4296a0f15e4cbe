/** Many concurrent commands. */
import { Then, When } from '@cucumber/cucumber';
import { containing, expect, fields, having } from '../expect/expect.js';
import type { Response } from '../../simulators/testing/internal/clock-client.js';
import type { Scenario } from '../support/scenario.js';

/** The id of a scan that the scenario does not wait for. */
const SCAN_ID = 600_000;

/** The first of the ids that two clients use, which no other request has. */
const FIRST_SAME_ID = 700_000;

const nameOf = ({ id }: Response): string => `response ${String(id)}`;

When(
  'I send {int} commands {string} in one burst, over the clocks in turn',
  async function (this: Scenario, count: number, type: string) {
    const client = await this.client();
    const sent = Array.from({ length: count }, (_, n) => {
      const clock = (n % this.clocks.length) + 1;
      return client
        .send({ type, address: this.clock(clock).address })
        .then((response) => ({ clock, response }));
    });
    this.remembered.set('burst', await Promise.all(sent));
    this.subject = { asked: `${count} commands "${type}" in one burst` };
  },
);

When(
  'two clients send {int} commands with the same ids, one {string}, the other {string}',
  async function (this: Scenario, count: number, one: string, other: string) {
    const { address } = this.clock();
    const clients = [await this.client(1), await this.client(2)];
    const ids = Array.from({ length: count }, (_, n) => FIRST_SAME_ID + n);
    const sent = clients.map((client, index) =>
      Promise.all(
        ids.map((id) => {
          const command = { type: index === 0 ? one : other, address };
          return client.ask(JSON.stringify({ id, command }), id);
        }),
      ),
    );
    this.remembered.set('responses', await Promise.all(sent));
    this.subject = { asked: `${count} commands "${one}" and "${other}" of two clients with the same ids` };
  },
);

Then(
  'each result of the first has {string}, of the second {string}, and no response is left',
  async function (this: Scenario, one: string, other: string) {
    const responses = this.remembered.get('responses') as readonly (readonly Response[])[];
    for (const [index, ofClient] of responses.entries()) {
      for (const response of ofClient)
        expect(
          `client ${index + 1}, ${nameOf(response)}`,
          response.result,
          having(index === 0 ? one : other),
        );
      const client = await this.client(index + 1);
      await client.settled();
      expect(`further responses to client ${index + 1}`, client.responses, []);
    }
  },
);

const burst = (scenario: Scenario): readonly { clock: number; response: Response }[] =>
  scenario.remembered.get('burst') as readonly { clock: number; response: Response }[];

Then('there are {int} responses, one for each id', async function (this: Scenario, count: number) {
  const client = await this.client();
  await client.settled();
  expect('number of ids', new Set(burst(this).map(({ response }) => response.id)).size, count);
  expect('further responses', client.responses, []);
});

Then(
  'the responses of clocks {int} and {int} are successes',
  function (this: Scenario, first: number, second: number) {
    const responses = burst(this).filter(({ clock }) => clock === first || clock === second);
    for (const { response } of responses) expect(nameOf(response), response, fields({ error: null }));
  },
);

Then('the responses of clock {int} are failures with a reason', function (this: Scenario, mute: number) {
  const { address } = this.clock(mute);
  for (const { response } of burst(this).filter(({ clock }) => clock === mute)) {
    expect(nameOf(response), response, fields({ result: null, error: containing(address) }));
  }
});

When(
  'I send {int} scans of {int} seconds in one burst',
  async function (this: Scenario, count: number, duration_secs: number) {
    const client = await this.client();
    const sent = Array.from({ length: count }, () => client.send({ type: 'scan', duration_secs }));
    this.remembered.set('scans', await Promise.all(sent));
    this.subject = { asked: `${count} scans of ${duration_secs} seconds in one burst` };
  },
);

Then('scan nine fails with {string}, and the others succeed', function (this: Scenario, message: string) {
  const responses = this.remembered.get('scans') as readonly Response[];
  const [refused, ...accepted] = [...responses].reverse();
  expect('last response', refused, fields({ result: null, error: containing(message) }));
  expect(
    'errors',
    accepted.map(({ error }) => error),
    Array(8).fill(null),
  );
});

When('I begin a scan of {int} seconds', async function (this: Scenario, duration_secs: number) {
  const client = await this.client();
  client.say(JSON.stringify({ id: SCAN_ID, command: { type: 'scan', duration_secs } }));
});

/** The response to a later request, and a ping, have already come. */
Then('the scan has not been answered', async function (this: Scenario) {
  const client = await this.client();
  await client.settled();
  const answered = client.responses.filter(({ id }) => id === SCAN_ID);
  expect('responses to the scan', answered, []);
});

When(
  'I send {string} to clock {int} and then to clock {int}',
  async function (this: Scenario, type: string, first: number, second: number) {
    const client = await this.client();
    const order: number[] = [];
    await Promise.all(
      [first, second].map(async (number) => {
        await client.send({ type, address: this.clock(number).address });
        order.push(number);
      }),
    );
    this.remembered.set('order', order);
    this.subject = { asked: `"${type}" to clock ${first} and then to clock ${second}` };
  },
);

Then('clock {int} is answered first', function (this: Scenario, number: number) {
  expect('the clock that was answered first', (this.remembered.get('order') as number[])[0], number);
});
