/** The time of the server under test, which may differ from that of the tester. */
import { Given } from '@cucumber/cucumber';
import { expect } from 'chai';
import type { Scenario } from '../support/scenario.js';

/** In whole seconds, by the header of an answer. */
const serverTime = async ({ server }: Scenario): Promise<number> =>
  Date.parse((await server.get('/health')).headers.get('date') ?? new Date().toUTCString());

/** How much later a time may be than the header, which has whole seconds and may itself be a little late. */
const HEADER_MS = 2000;

Given("I know the server's time", async function (this: Scenario) {
  this.remembered.set('time', await serverTime(this));
});

/** The time that the scenario knows. */
export const startOf = ({ remembered }: Scenario): number => Number(remembered.get('time'));

/** Expects a time of ISO 8601 in UTC between `start` and now. */
export const expectSince = async (scenario: Scenario, start: number, instant: unknown): Promise<void> => {
  expect(instant).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  const time = String(instant);
  expect(Date.parse(time), time).to.be.within(start, (await serverTime(scenario)) + HEADER_MS);
};
