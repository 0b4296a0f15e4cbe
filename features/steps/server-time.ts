/** The time of the server under test, which may differ from that of the tester. */
import { Given } from '@cucumber/cucumber';
import type { Matcher } from '../expect/expect.js';
import { timeBetween } from '../expect/times.js';
import type { Scenario } from '../support/scenario.js';

/** In whole seconds, by the header of an answer. */
const serverTime = async ({ server }: Scenario): Promise<number> =>
  Date.parse((await server.get('/health')).headers.get('date') ?? new Date().toUTCString());

/** How much later a time may be than the header, which has whole seconds and may itself be a little late. */
const HEADER_MS = 2000;

Given("I know the server's time", async function (this: Scenario) {
  this.remembered.set('time', await serverTime(this));
});

/** A time between `start` and now. */
export const since = async (scenario: Scenario, start: number): Promise<Matcher> =>
  timeBetween(start, (await serverTime(scenario)) + HEADER_MS);

/** A time between the one that the scenario knows and now. */
export const sinceStart = (scenario: Scenario): Promise<Matcher> =>
  since(scenario, Number(scenario.remembered.get('time')));
