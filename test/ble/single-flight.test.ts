import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { describe, it } from 'mocha';
import { ABORTED, type DeviceError } from '../../src/ble/device-error.js';
import { singleFlight, type SingleFlight } from '../../src/ble/single-flight.js';
import { manualClock } from '../support/manual-clock.js';

const ADDRESS = 'D1:CE:00:00:00:01';

const reasonOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'none',
    (defect: unknown) => String(defect),
  );

describe('Attempts to connect a device', () => {
  const open = (): SingleFlight<number> => singleFlight(manualClock(), () => Promise.resolve());
  const { signal } = new AbortController();
  const defective = (): TE.TaskEither<DeviceError, number> => () => Promise.reject(new Error('a defect'));

  it('are one for all who join', async () => {
    const attempts = open();
    let runs = 0;
    const run = (): TE.TaskEither<DeviceError, number> => TE.right((runs += 1));
    const both = [attempts.join(ADDRESS, run, signal)(), attempts.join(ADDRESS, run, signal)()];
    expect(await Promise.all(both)).to.deep.equal([E.right(1), E.right(1)]);
  });

  it('that end with a defect end with it for all who joined, and leave room for the next', async () => {
    const attempts = open();
    const both = [1, 2].map(() => reasonOf(attempts.join(ADDRESS, defective, signal)()));
    expect(await Promise.all(both)).to.deep.equal(['Error: a defect', 'Error: a defect']);
    expect(await attempts.join(ADDRESS, () => TE.right(7), signal)()).to.deep.equal(E.right(7));
  });

  it('that end with a defect after all have gone trouble nobody', async () => {
    const attempts = open();
    const client = new AbortController();
    let fail = (_defect: Error): void => undefined;
    const run = (): TE.TaskEither<DeviceError, number> => () =>
      new Promise((_resolve, reject) => {
        fail = reject;
      });
    const left = attempts.join(ADDRESS, run, client.signal)();
    await Promise.resolve();
    client.abort();
    expect(await left).to.deep.equal(E.left(ABORTED));
    fail(new Error('a defect'));
    await attempts.close();
    expect(await attempts.join(ADDRESS, () => TE.right(7), signal)()).to.deep.equal(E.right(7));
  });
});
