import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { beforeEach, describe, it } from 'mocha';
import { ABORTED, type DeviceError } from '../../src/devices/device-error.js';
import { SingleFlight } from '../../src/devices/single-flight.js';
import { defectsDuring } from '../support/defects.js';
import { otherTurns } from '../support/hci-host.js';
import { manualTime } from '../support/manual-time.js';

const ADDRESS = 'D1:CE:00:00:00:01';
const OTHER = 'D1:CE:00:00:00:02';
const reason: DeviceError = { _tag: 'NotConnected', address: ADDRESS, cause: 'disconnected' };
const GIVEN_UP = E.left(ABORTED);

interface Run {
  readonly signal: AbortSignal;
  readonly succeed: (value: number) => void;
  readonly fail: (defect: Error) => void;
}

/** A flag for whether a promise is settled. */
const settling = (promise: Promise<unknown>) => {
  const state = { over: false };
  const settled = (): void => void (state.over = true);
  promise.then(settled, settled);
  return state;
};

describe('An attempt to connect a device', () => {
  let attempts: SingleFlight<number>;
  let discarded: number[];
  /** The attempts so far, which the test ends. */
  let runs: Run[];

  beforeEach(() => {
    [discarded, runs] = [[], []];
    attempts = new SingleFlight<number>(manualTime(), (late) => Promise.resolve(void discarded.push(late)));
  });

  const join = async (client = new AbortController(), address = ADDRESS) => {
    const joined = attempts.join(
      address,
      (signal) => () =>
        new Promise((resolve, fail) =>
          runs.push({ signal, fail, succeed: (value) => resolve(E.right(value)) }),
        ),
      client.signal,
    )();
    joined.catch(() => undefined);
    await otherTurns();
    return { client, joined };
  };
  const succeed = async (at: number, value: number): Promise<void> => {
    runs[at]?.succeed(value);
    await otherTurns();
  };
  const aborted = (): readonly boolean[] => runs.map(({ signal }) => signal.aborted);

  it('ends for all clients with the same defect, and another attempt can begin', async () => {
    const both = [await join(), await join()];
    runs[0]?.fail(new Error('a defect'));
    for (const { joined } of both)
      expect(await joined.catch((defect: unknown) => String(defect))).to.equal('Error: a defect');
    const next = await join();
    await succeed(1, 7);
    expect(await next.joined).to.deep.equal(E.right(7));
  });

  it('ignores a defect after all clients have left', async () => {
    const { client, joined } = await join();
    client.abort();
    expect(await joined).to.deep.equal(GIVEN_UP);
    runs[0]?.fail(new Error('a defect'));
    await attempts.close();
    expect(discarded).to.deep.equal([]);
  });

  it('begins after an ending that fails, and so does the next', async () => {
    const ending = Promise.reject(new Error('a defect'));
    ending.catch(() => undefined);
    attempts.delay(ADDRESS, ending);
    for (const at of [0, 1]) {
      const { joined } = await join();
      await succeed(at, 7);
      expect(await joined.catch(String)).to.deep.equal(E.right(7));
    }
    await attempts.close();
  });

  it('begins after a late result whose end fails, which is reported once', async () => {
    const defect = new Error('a defect');
    attempts = new SingleFlight<number>(manualTime(), () => Promise.reject(defect));
    const defects = await defectsDuring(async () => {
      const { client } = await join();
      client.abort();
      await succeed(0, 1);
      const { joined } = await join();
      await succeed(1, 7);
      expect(await joined.catch(String)).to.deep.equal(E.right(7));
      await attempts.close();
    });
    expect(defects).to.deep.equal([defect]);
  });

  it('goes on for other clients when one leaves, and is not affected by clients that leave after its end', async () => {
    const [left, stayed] = [await join(), await join()];
    left.client.abort();
    expect(await left.joined).to.deep.equal(GIVEN_UP);
    await succeed(0, 7);
    expect(await stayed.joined).to.deep.equal(E.right(7));
    stayed.client.abort();
    expect([aborted(), discarded]).to.deep.equal([[false], []]);
  });

  it('is aborted when all clients have left; the next attempt begins after its late result is discarded', async () => {
    const left = [await join(), await join()];
    for (const { client } of left) client.abort();
    for (const { joined } of left) expect(await joined).to.deep.equal(GIVEN_UP);
    expect(aborted()).to.deep.equal([true]);
    const next = await join();
    expect([runs.length, discarded]).to.deep.equal([1, []]);
    await succeed(0, 1);
    const another = await join();
    expect([runs.length, discarded]).to.deep.equal([2, [1]]);
    await succeed(1, 2);
    for (const { joined } of [next, another]) expect(await joined).to.deep.equal(E.right(2));
    expect(discarded).to.deep.equal([1]);
  });

  it('ends for all clients with the reason of an abort, which resolves when the attempt is over', async () => {
    const both = [await join(), await join()];
    const aborting = attempts.abort(ADDRESS, reason);
    const state = settling(aborting);
    await otherTurns();
    expect([aborted(), state.over]).to.deep.equal([[true], false]);
    await succeed(0, 1);
    expect(await aborting).to.equal(true);
    for (const { joined } of both) expect(await joined).to.deep.equal(E.left(reason));
    expect(discarded).to.deep.equal([1]);
  });

  it('is discarded once if its client leaves after it was aborted', async () => {
    const { client, joined } = await join();
    const aborting = attempts.abort(ADDRESS, reason);
    client.abort();
    expect(await joined).to.deep.equal(GIVEN_UP);
    await succeed(0, 1);
    await aborting;
    expect(discarded).to.deep.equal([1]);
  });

  it('is aborted only for its device, and only while it is under way', async () => {
    expect(await attempts.abort(ADDRESS, reason)).to.equal(false);
    const { joined } = await join();
    expect(await attempts.abort(OTHER, reason)).to.equal(false);
    await succeed(0, 7);
    expect(await joined).to.deep.equal(E.right(7));
    expect(await attempts.abort(ADDRESS, reason)).to.equal(false);
  });

  it('is aborted when all attempts are closed, which resolves after the last', async () => {
    await join();
    await join(undefined, OTHER);
    const closing = attempts.close();
    const state = settling(closing);
    expect(aborted()).to.deep.equal([true, true]);
    await succeed(0, 1);
    expect(state.over).to.equal(false);
    await succeed(1, 2);
    await closing;
    expect(discarded).to.deep.equal([1, 2]);
  });

  it('waits for the last promise that delays it', async () => {
    const ends: (() => void)[] = [];
    for (let count = 0; count < 2; count++)
      attempts.delay(ADDRESS, new Promise<void>((resolve) => ends.push(resolve)));
    ends[0]?.();
    await otherTurns();
    const joined = attempts.join(ADDRESS, () => TE.right(7), new AbortController().signal)();
    const state = settling(joined);
    await otherTurns();
    expect(state.over).to.equal(false);
    ends[1]?.();
    expect(await joined).to.deep.equal(E.right(7));
    await attempts.close();
  });
});
