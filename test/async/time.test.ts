import { expect } from 'chai';
import { SerialQueue } from '../../src/async/tasks.js';
import { systemTime } from '../../src/async/time.js';
import { defectsDuring } from '../support/defects.js';

describe('the clock of the machine', () => {
  const realNow = Date.now;
  const realSetTimeout = globalThis.setTimeout;
  afterEach(() => {
    Date.now = realNow;
    globalThis.setTimeout = realSetTimeout;
  });

  it('returns the time of day as a date, and grows even if the time of day is set back', () => {
    expect(Math.abs(systemTime.date().getTime() - realNow())).to.be.below(60_000);
    const before = systemTime.now();
    Date.now = () => realNow() - 86_400_000;
    expect(systemTime.now()).to.be.at.least(before);
    expect(systemTime.now() - before).to.be.below(60_000);
  });

  it('waits in pieces if a timer of Node cannot wait so long, otherwise in one piece', () => {
    /** The timers, which the test fires. */
    const timers: { readonly ms: number; readonly fire: () => void }[] = [];
    globalThis.setTimeout = ((fire: () => void, ms: number) => {
      timers.push({ ms, fire });
      return realSetTimeout(() => undefined, 0);
    }) as typeof setTimeout;
    const longest = 2 ** 31 - 1;
    let done = 0;
    systemTime.after(2 * longest + 5, () => (done += 1));
    timers[0]?.fire();
    timers[1]?.fire();
    expect(timers.map(({ ms }) => ms)).to.deep.equal([longest, longest, 5]);
    expect(done).to.equal(0);
    timers[2]?.fire();
    expect(done).to.equal(1);
    systemTime.after(longest, () => undefined);
    expect(timers.slice(3).map(({ ms }) => ms)).to.deep.equal([longest]);
  });

  it('cancels a wait of 25 days', () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const cancel = systemTime.after(25 * 86_400_000, () => undefined);
    cancel();
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).to.have.lengthOf(before);
  });
});

describe('a serial queue', () => {
  it('runs tasks one at a time, in their order', async () => {
    const queue = new SerialQueue();
    const lines: string[] = [];
    const task = (name: string) => async (): Promise<void> => {
      lines.push(`${name} begins`);
      await Promise.resolve();
      lines.push(`${name} ends`);
    };
    await Promise.all([queue.run(task('a')), queue.run(task('b'))]);
    expect(lines).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('keeps a failure to the task that failed, whether it throws or rejects', async () => {
    const queue = new SerialQueue();
    const failures = [
      queue.run(() => {
        throw new Error('thrown');
      }),
      queue.run(() => Promise.reject(new Error('rejected'))),
    ].map((failed) => failed.catch((reason: unknown) => String(reason)));
    expect(await queue.run(() => 'fine')).to.equal('fine');
    expect(await Promise.all(failures)).to.deep.equal(['Error: thrown', 'Error: rejected']);
  });

  it('counts the tasks that are not done, and reports when it is empty', async () => {
    const sizes: number[] = [];
    const queue = new SerialQueue(() => void sizes.push(queue.size));
    const failed = queue.run(() => Promise.reject(new Error('rejected'))).catch(() => sizes.push(queue.size));
    expect(queue.size).to.equal(1);
    await Promise.all([failed, queue.run(() => sizes.push(queue.size))]);
    expect(sizes).to.deep.equal([1, 1, 0]);
  });

  it('reports a defect of its listener, and runs the next task', async () => {
    const defect = new Error('a defect');
    const queue = new SerialQueue(() => {
      throw defect;
    });
    const defects = await defectsDuring(async () => {
      for (const value of [1, 2]) expect(await queue.run(() => value)).to.equal(value);
    });
    expect(defects).to.deep.equal([defect, defect]);
  });

  it('is idle when all earlier tasks are done', async () => {
    const queue = new SerialQueue();
    let done = false;
    void queue.run(async () => {
      await Promise.resolve();
      done = true;
    });
    await queue.idle();
    expect(done).to.equal(true);
  });
});
