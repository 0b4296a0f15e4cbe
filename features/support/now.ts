import { expect } from 'chai';

/** How far the clocks of server and tester may be apart, ms. */
export const CLOCKS_APART_MS = 30_000;

/** Expects a time of ISO 8601 in UTC that is the present one. */
export const expectNow = (time: unknown): void => {
  expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  expect(Date.parse(String(time))).to.be.closeTo(Date.now(), CLOCKS_APART_MS);
};
