/** How often attempts at a proxy that cannot be used are repeated. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { freePort } from '../../features/support/loopback.js';
import { ApiClient } from '../../src/ble/esphome/api-client.js';
import type { Problem } from '../../src/ble/problem.js';
import type { Proxy } from '../../src/proxy/server.js';
import { Fixture } from '../support/bluetooth-fixture.js';
import { closedAfterEach, openProxy } from '../support/bluetooth-proxy.js';
import { manualTime } from '../support/manual-time.js';

const KEY = Buffer.alloc(32, 9);

/** The limit of the answer, and the time until the first ping. */
const TIMERS_OF_AN_ATTEMPT = 2;

describe('A proxy that cannot be used', () => {
  const open = closedAfterEach();

  const startServing = async (key?: Buffer, port = 0): Promise<Proxy> => {
    const fixture = await Fixture.open();
    open.push(() => fixture.close());
    const proxy = await openProxy(fixture, { port, key });
    open.push(proxy.close);
    return proxy;
  };

  /** A client whose time stands still. */
  const clientOf = (port: number, key?: Buffer) => {
    const time = manualTime();
    let settle: (outcome: Problem | 'up') => void = () => undefined;
    const outcome = (): Promise<Problem | 'up'> => new Promise((resolve) => (settle = resolve));
    const client = new ApiClient({
      ...{ host: '127.0.0.1', port, key, time, message: () => undefined },
      up: () => settle('up'),
      down: (problem) => settle(problem),
    });
    open.push(() => client.close());
    const start = (): Promise<Problem | 'up'> => {
      const first = outcome();
      client.start();
      return first;
    };
    /** Expects the next attempt after exactly `ms`; resolves to its outcome. */
    const attemptAfter = (ms: number): Promise<Problem | 'up'> => {
      expect(time.pending).to.equal(1);
      time.advance(ms - 1);
      expect(time.pending, `an attempt before ${ms} ms`).to.equal(1);
      const next = outcome();
      time.advance(1);
      expect(time.pending, `an attempt after ${ms} ms`).to.equal(TIMERS_OF_AN_ATTEMPT);
      return next;
    };
    return { start, outcome, attemptAfter };
  };

  it('is tried less and less often while it cannot be reached, and soon after a connection', async () => {
    const port = await freePort();
    const { start, outcome, attemptAfter } = clientOf(port);
    expect(await start())
      .to.have.property('what')
      .that.matches(/refused/);
    for (const pause of [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000])
      expect(await attemptAfter(pause)).not.to.equal('up');
    const { cut } = await startServing(undefined, port);
    expect(await attemptAfter(30_000)).to.equal('up');
    const lost = outcome();
    cut();
    expect(await lost).not.to.equal('up');
    expect(await attemptAfter(500)).to.equal('up');
  });

  for (const [how, ofProxy, ofClient, what] of [
    ['has another key', KEY, Buffer.alloc(32, 7), 'the given key is not its encryption key'],
    ['requires a key', KEY, undefined, 'it encrypts connections, and no key is given for it'],
    ['has no key', undefined, KEY, 'it does not encrypt connections, though a key is given for it'],
  ] as const)
    it(`is tried every 30 s from the start if it ${how}`, async () => {
      const { port } = await startServing(ofProxy);
      const { start, attemptAfter } = clientOf(port, ofClient);
      expect(await start()).to.include({ what });
      expect(await attemptAfter(30_000)).to.include({ what });
      expect(await attemptAfter(30_000)).to.include({ what });
    });
});
