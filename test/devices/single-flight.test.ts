import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { describe, it } from 'mocha';
import { ABORTED, type DeviceError } from '../../src/devices/device-error.js';
import { SingleFlight } from '../../src/devices/single-flight.js';
import { otherTurns } from '../support/hci-host.js';
import { manualTime } from '../support/manual-time.js';

const ADDRESS = 'D1:CE:00:00:00:01';

const reasonOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'none',
    (defect: unknown) => String(defect),
  );

describe('Attempts to connect a device', () => {
  const open = () => new SingleFlight<number>(manualTime(), () => Promise.resolve());
  const { signal } = new AbortController();
  const defective = (): TE.TaskEither<DeviceError, number> => () => Promise.reject(new Error('a defect'));

  it('are one for all clients that join', async () => {
    const attempts = open();
    let runs = 0;
    const run = (): TE.TaskEither<DeviceError, number> => TE.right((runs += 1));
    const both = [attempts.join(ADDRESS, run, signal)(), attempts.join(ADDRESS, run, signal)()];
    expect(await Promise.all(both)).to.deep.equal([E.right(1), E.right(1)]);
  });

  it('end for all joined callers with the same defect, and leave room for the next', async () => {
    const attempts = open();
    const both = [1, 2].map(() => reasonOf(attempts.join(ADDRESS, defective, signal)()));
    expect(await Promise.all(both)).to.deep.equal(['Error: a defect', 'Error: a defect']);
    expect(await attempts.join(ADDRESS, () => TE.right(7), signal)()).to.deep.equal(E.right(7));
  });

  it('swallow a defect after all callers have gone', async () => {
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

  describe('given up', () => {
    /** Attempts whose runs end when a test says so. */
    const held = () => {
      const discarded: number[] = [];
      const runs: { readonly signal: AbortSignal; readonly succeed: (value: number) => void }[] = [];
      const attempts = new SingleFlight<number>(manualTime(), (late) => {
        discarded.push(late);
        return Promise.resolve();
      });
      const join = (client = new AbortController(), address = ADDRESS) =>
        attempts.join(
          address,
          (given) => () =>
            new Promise((resolve) =>
              runs.push({ signal: given, succeed: (value) => resolve(E.right(value)) }),
            ),
          client.signal,
        )();
      return { attempts, discarded, runs, join };
    };
    const reason: DeviceError = { _tag: 'NotConnected', address: ADDRESS, cause: 'disconnected' };

    it('by one client go on for the others', async () => {
      const { runs, discarded, join } = held();
      const client = new AbortController();
      const [left, stayed] = [join(client), join()];
      await otherTurns();
      client.abort();
      expect(await left).to.deep.equal(E.left(ABORTED));
      expect(runs.map(({ signal: { aborted } }) => aborted)).to.deep.equal([false]);
      runs[0]?.succeed(7);
      expect(await stayed).to.deep.equal(E.right(7));
      expect(discarded).to.deep.equal([]);
    });

    it('by all clients are aborted; a late result is discarded, and only then begins the next', async () => {
      const { runs, discarded, join } = held();
      const clients = [new AbortController(), new AbortController()];
      const left = clients.map((client) => join(client));
      await otherTurns();
      for (const client of clients) client.abort();
      expect(await Promise.all(left)).to.deep.equal([E.left(ABORTED), E.left(ABORTED)]);
      expect(runs.map(({ signal: { aborted } }) => aborted)).to.deep.equal([true]);
      const next = join();
      await otherTurns();
      expect([runs.length, discarded]).to.deep.equal([1, []]);
      runs[0]?.succeed(1);
      await otherTurns();
      expect([runs.length, discarded]).to.deep.equal([2, [1]]);
      const another = join();
      await otherTurns();
      expect(runs).to.have.lengthOf(2);
      runs[1]?.succeed(2);
      expect(await Promise.all([next, another])).to.deep.equal([E.right(2), E.right(2)]);
      expect(discarded).to.deep.equal([1]);
    });

    it('are not aborted by a client that joined and went after they had ended for the others', async () => {
      const { runs, join } = held();
      const client = new AbortController();
      const done = join(client);
      await otherTurns();
      runs[0]?.succeed(1);
      expect(await done).to.deep.equal(E.right(1));
      client.abort();
      expect(runs[0]?.signal.aborted).to.equal(false);
    });

    it('by somebody else give all clients that joined the reason', async () => {
      const { attempts, runs, discarded, join } = held();
      const joined = [join(), join()];
      await otherTurns();
      let over = false;
      const aborting = attempts.abort(ADDRESS, reason).then((was) => {
        over = true;
        return was;
      });
      await otherTurns();
      expect([runs[0]?.signal.aborted, over]).to.deep.equal([true, false]);
      runs[0]?.succeed(1);
      expect(await aborting).to.equal(true);
      expect(await Promise.all(joined)).to.deep.equal([E.left(reason), E.left(reason)]);
      expect(discarded).to.deep.equal([1]);
    });

    it('by somebody else and then by their clients are given up once', async () => {
      const { attempts, runs, discarded, join } = held();
      const client = new AbortController();
      const joined = join(client);
      await otherTurns();
      const aborting = attempts.abort(ADDRESS, reason);
      client.abort();
      expect(await joined).to.deep.equal(E.left(ABORTED));
      runs[0]?.succeed(1);
      await aborting;
      expect(discarded).to.deep.equal([1]);
    });

    it('are those of that device alone', async () => {
      const { attempts, runs, join } = held();
      expect(await attempts.abort(ADDRESS, reason)).to.equal(false);
      const joined = join();
      await otherTurns();
      expect(await attempts.abort('D1:CE:00:00:00:02', reason)).to.equal(false);
      runs[0]?.succeed(7);
      expect(await joined).to.deep.equal(E.right(7));
      expect(await attempts.abort(ADDRESS, reason)).to.equal(false);
    });

    it('at the close are over when it is', async () => {
      const { attempts, runs, discarded, join } = held();
      const joined = [join(), join(undefined, 'D1:CE:00:00:00:02')];
      await otherTurns();
      let over = false;
      const closing = attempts.close().then(() => {
        over = true;
      });
      await otherTurns();
      expect(runs.map(({ signal: { aborted } }) => aborted)).to.deep.equal([true, true]);
      runs[0]?.succeed(1);
      await otherTurns();
      expect(over).to.equal(false);
      runs[1]?.succeed(2);
      await closing;
      expect(discarded).to.deep.equal([1, 2]);
      await Promise.all(joined);
    });
  });

  it('wait for what delays them, the last of it', async () => {
    const attempts = open();
    const ends: (() => void)[] = [];
    const delay = (): void => attempts.delay(ADDRESS, new Promise<void>((resolve) => ends.push(resolve)));
    delay();
    delay();
    let over = false;
    ends[0]?.();
    await otherTurns();
    const joined = attempts
      .join(ADDRESS, () => TE.right(7), signal)()
      .then((outcome) => {
        over = true;
        return outcome;
      });
    await otherTurns();
    expect(over).to.equal(false);
    ends[1]?.();
    expect(await joined).to.deep.equal(E.right(7));
    await otherTurns();
    let closed = false;
    void attempts.close().then(() => {
      closed = true;
    });
    await otherTurns();
    expect(closed).to.equal(true);
  });
});
