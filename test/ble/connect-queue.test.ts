import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { ConnectQueue, GIVE_WAY_MS, PASSED_OVER_MS } from '../../src/ble/connect-queue.js';
import type { BleError } from '../../src/ble/ports.js';
import type { Cancel } from '../../src/async/time.js';
import { otherTurns } from '../support/hci-host.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

const LIMIT = 10_000;
const STEP_MS = 100;

const absent = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `absent ${index + 1}`);

/** Devices, some of which advertise every step, and an adapter that links one at a time, in simulated time. */
class Scene {
  readonly time = manualTime();
  /** How long each advertising device takes to connect, ms. */
  readonly present = new Map<string, number>();
  /** Whether the adapter receives nothing while it connects. */
  deaf = false;
  /** Attempts with their durations, ms, in order. */
  readonly attempts: [string, number][] = [];
  /** The result of each request and its time, in order. */
  readonly outcomes: [string, string, number][] = [];
  contended = false;
  private readonly lastReceived = new Map<string, number>();
  private readonly received = {
    at: (address: string): number | undefined => this.lastReceived.get(address),
    newest: -Infinity,
  };
  private underWay = 0;
  readonly queue = new ConnectQueue<string>({
    time: this.time,
    limit: LIMIT,
    advertisements: this.received,
    attempt: (address, stop) => this.attempt(address, stop),
    discard: () => Promise.resolve(),
    contended: (contended) => {
      this.contended = contended;
    },
  });

  hears(...addresses: readonly string[]): void {
    for (const address of addresses) {
      this.received.newest = this.time.now();
      this.lastReceived.set(address, this.received.newest);
      this.queue.advertised(address);
    }
  }

  connect(address: string, signal?: AbortSignal): void {
    void this.queue
      .connect(address, signal)
      .then((outcome) =>
        this.outcomes.push([address, E.isRight(outcome) ? 'linked' : outcome.left._tag, this.time.now()]),
      );
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await otherTurns(1);
      this.time.advance(STEP_MS);
      if (!this.deaf && this.contended) this.hears(...this.present.keys());
    }
    await otherTurns(1);
  }

  /** The time of each result, ms. */
  get results(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.outcomes.map(([address, , at]) => [address, at]));
  }

  private attempt(address: string, stop: AbortSignal): Promise<E.Either<BleError, string>> {
    expect(++this.underWay, 'attempts under way').to.equal(1);
    const began = this.time.now();
    return new Promise((resolve) => {
      let cancel: Cancel = () => undefined;
      const end = (outcome: E.Either<BleError, string>): void => {
        cancel();
        this.underWay -= 1;
        this.attempts.push([address, this.time.now() - began]);
        if (E.isRight(outcome)) this.present.delete(address);
        resolve(outcome);
      };
      const takes = this.present.get(address);
      if (takes !== undefined) cancel = this.time.after(takes, () => end(E.right(address)));
      stop.addEventListener('abort', () =>
        end(E.left({ _tag: 'ConnectFailed', address, reason: 'stopped' })),
      );
    });
  }
}

describe('The connect queue', () => {
  let scene: Scene;
  beforeEach(() => {
    scene = new Scene();
  });

  it('gives an attempt its whole limit while no request waits', async () => {
    scene.hears('absent');
    scene.connect('absent');
    await scene.pass(LIMIT);
    expect(scene.attempts).to.deep.equal([['absent', LIMIT]]);
    expect(scene.outcomes).to.deep.equal([['absent', 'Timeout', LIMIT]]);
    expect([scene.time.pending, scene.contended]).to.deep.equal([0, false]);
  });

  it('connects a device that advertises after one attempt at a silent device at most', async () => {
    scene.hears(...absent(8), 'present');
    scene.present.set('present', 200);
    for (const address of absent(8)) scene.connect(address);
    scene.connect('present');
    await scene.pass(8 * LIMIT + 1_000);
    expect(scene.outcomes[0]).to.deep.equal(['present', 'linked', GIVE_WAY_MS + 200]);
    const later = scene.outcomes.slice(1).map(([address, outcome]) => [address, outcome]);
    expect(later).to.have.deep.members(absent(8).map((address) => [address, 'Timeout']));
    const timeOf = (device: string): number =>
      scene.attempts.reduce((sum, [address, ms]) => sum + (address === device ? ms : 0), 0);
    expect(absent(8).map(timeOf), 'the time of each').to.deep.equal(absent(8).map(() => LIMIT));
    expect(Math.max(...Object.values(scene.results))).to.equal(8 * LIMIT + 200);
  });

  it('ends an attempt at a silent device that has had its time when another device advertises', async () => {
    scene.hears('absent', 'present');
    scene.present.set('present', 200);
    scene.connect('absent');
    await scene.pass(5_000);
    scene.connect('present');
    await scene.pass(500);
    // The attempt begins within the step in which the device advertised.
    expect(scene.results['present']).to.be.at.most(5_000 + STEP_MS + 200);
  });

  it('serves absent devices in their order while no device advertises', async () => {
    for (const address of absent(4)) scene.connect(address);
    await scene.pass(4 * LIMIT);
    expect(scene.outcomes).to.deep.equal(
      absent(4).map((address, index) => [address, 'Timeout', (index + 1) * LIMIT]),
    );
  });

  it('answers requests for absent devices that have advertised once, within the sum of their limits', async () => {
    scene.hears(...absent(8));
    for (const address of absent(8)) scene.connect(address);
    await scene.pass(8 * LIMIT);
    expect(scene.outcomes.map(([, outcome]) => outcome)).to.deep.equal(absent(8).map(() => 'Timeout'));
    // At most a short and a long attempt for each device.
    expect(scene.attempts.length).to.be.at.most(2 * 8);
    expect(scene.time.pending).to.equal(0);
  });

  it('makes short attempts at silent devices before long ones while the adapter receives nothing', async () => {
    scene.deaf = true;
    scene.hears(...absent(2), 'present');
    scene.present.set('present', 200);
    for (const address of [...absent(2), 'present']) scene.connect(address);
    await scene.pass(3 * GIVE_WAY_MS);
    expect(scene.results).to.deep.equal({ present: 2 * GIVE_WAY_MS + 200 });
    await scene.pass(2 * LIMIT);
    expect(Object.keys(scene.results)).to.have.members([...absent(2), 'present']);
  });

  it('connects many devices that advertise, one after another, without a pause', async () => {
    const many = Array.from({ length: 50 }, (_, index) => `present ${index}`);
    for (const address of many) scene.present.set(address, 100);
    scene.hears(...many);
    for (const address of many) scene.connect(address);
    await scene.pass(50 * 100);
    expect(scene.outcomes.map(([, outcome]) => outcome)).to.deep.equal(many.map(() => 'linked'));
    expect(scene.attempts).to.have.length(50);
  });

  it('connects two slow devices that advertise, though each ends attempts at the other', async () => {
    scene.present.set('slow', GIVE_WAY_MS + 500).set('slower', GIVE_WAY_MS + 1_500);
    scene.hears('slow', 'slower');
    scene.connect('slow');
    scene.connect('slower');
    await scene.pass(2 * LIMIT);
    expect(scene.outcomes.map(([address, outcome]) => [address, outcome])).to.have.deep.members([
      ['slow', 'linked'],
      ['slower', 'linked'],
    ]);
  });

  it('serves other devices while devices advertise that cannot be connected', async () => {
    const useless = ['useless 1', 'useless 2'];
    for (const address of useless) scene.present.set(address, Infinity);
    scene.hears(...useless);
    for (const address of [...useless, 'absent']) scene.connect(address);
    await scene.pass(GIVE_WAY_MS * 1.5);
    scene.present.set('present', 200);
    scene.hears('present');
    scene.connect('present');
    await scene.pass(3 * LIMIT + 1_000);
    expect(scene.results['present']).to.equal(2 * GIVE_WAY_MS + 200);
    expect(scene.outcomes.map(([address]) => address)).to.have.members(['present', ...useless, 'absent']);
  });

  for (const deaf of [false, true]) {
    it(`tries silent devices within ten seconds, even if many advertise after them${deaf ? ' and the adapter is deaf' : ''}`, async () => {
      scene.connect('present 0');
      for (const address of absent(8)) scene.connect(address);
      for (let next = 0; next < 300; next++) {
        for (const address of [`present ${next}`, `present ${next + 1}`]) {
          scene.present.set(address, 450);
          scene.hears(address);
        }
        scene.deaf = deaf;
        scene.connect(`present ${next + 1}`);
        await scene.pass(500);
      }
      const turns = scene.attempts.filter(([address]) => address.startsWith('absent'));
      expect(turns.length).to.be.within(10, (300 * 500) / PASSED_OVER_MS);
      for (const [, ms] of turns) expect(ms).to.be.at.most(GIVE_WAY_MS);
      expect(new Set(turns.map(([address]) => address))).to.deep.equal(new Set(absent(8)));
    });
  }

  it('reports whether a request waits', async () => {
    scene.connect('absent 1');
    expect(scene.contended).to.equal(false);
    const abort = new AbortController();
    scene.connect('absent 2', abort.signal);
    expect([scene.contended, scene.queue.has('absent 2')]).to.deep.equal([true, true]);
    abort.abort();
    expect([scene.contended, scene.queue.has('absent 2')]).to.deep.equal([false, false]);
    await otherTurns(1);
    expect(scene.outcomes).to.deep.equal([['absent 2', 'Closed', 0]]);
  });

  it('aborts a request that gave way while it waits for its next attempt', async () => {
    const abort = new AbortController();
    scene.present.set('slow', GIVE_WAY_MS);
    scene.hears('absent', 'slow');
    scene.connect('absent', abort.signal);
    scene.connect('slow');
    await scene.pass(GIVE_WAY_MS + STEP_MS);
    abort.abort();
    await scene.pass(GIVE_WAY_MS);
    expect(scene.outcomes).to.deep.equal([
      ['absent', 'Closed', GIVE_WAY_MS + STEP_MS],
      ['slow', 'linked', 2 * GIVE_WAY_MS],
    ]);
  });

  it('ends all requests with a reason, and resolves when no attempt is under way', async () => {
    for (const address of absent(3)) scene.connect(address);
    await scene.queue.end((address) => ({ _tag: 'Closed', address }));
    expect(scene.attempts).to.deep.equal([['absent 1', 0]]);
    await otherTurns(1);
    expect(scene.outcomes.map(([, outcome]) => outcome)).to.deep.equal(['Closed', 'Closed', 'Closed']);
    expect(scene.time.pending).to.equal(0);
  });
});

describe('The connect queue of an adapter that throws', () => {
  const throwing = () =>
    new ConnectQueue<string>({
      time: manualTime(),
      limit: LIMIT,
      advertisements: { at: () => 0, newest: 0 },
      attempt: async (address, stop) => {
        if (address === 'broken') throw new Error('out of order');
        await new Promise((resolve) => stop.addEventListener('abort', resolve));
        return E.right(address);
      },
      discard: () => Promise.reject(new Error('out of order')),
      contended: () => undefined,
    });

  it('fails the attempt, and begins the next', async () => {
    const queue = throwing();
    const [broken, next] = [queue.connect('broken'), queue.connect('next')];
    expect(await broken).to.deep.equal(
      E.left({ _tag: 'ConnectFailed', address: 'broken', reason: 'Error: out of order' }),
    );
    await queue.end((address) => ({ _tag: 'Closed', address }));
    expect(await next).to.deep.equal(E.left({ _tag: 'Closed', address: 'next' }));
    expect(queue.has('next')).to.equal(false);
  });
});

describe('A link that is made just as its attempt is stopped', () => {
  /** An adapter that makes the link of `first` anyway, once `stop` has been called. */
  const outcomeOf = async (received: boolean, stop: (time: ManualTime, abort: AbortController) => void) => {
    const [time, abort] = [manualTime(), new AbortController()];
    const discarded: string[] = [];
    const queue = new ConnectQueue<string>({
      time,
      limit: LIMIT,
      advertisements: { at: (address) => (received || address === 'first' ? 0 : undefined), newest: 0 },
      attempt: (address, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(E.right(address)))),
      discard: async (link) => void discarded.push(await Promise.resolve(link)),
      contended: () => undefined,
    });
    const first = queue.connect('first', abort.signal);
    if (received) void queue.connect('second');
    stop(time, abort);
    const outcome = await first;
    return [E.isRight(outcome) ? outcome.right : outcome.left._tag, discarded];
  };

  for (const [title, received, stop, outcome, discarded] of [
    ['is kept if the attempt only gave way', true, (time) => time.advance(GIVE_WAY_MS), 'first', []],
    ['is ended if the client has gone', false, (_, abort) => abort.abort(), 'Closed', ['first']],
    ['is ended if the time is up', false, (time) => time.advance(LIMIT), 'Timeout', ['first']],
  ] as readonly (readonly [string, boolean, Parameters<typeof outcomeOf>[1], string, string[]])[])
    it(title, async () => {
      expect(await outcomeOf(received, stop)).to.deep.equal([outcome, discarded]);
    });
});
