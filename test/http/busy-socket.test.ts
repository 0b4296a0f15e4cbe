import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { listen, listenSentence } from '../../src/http/index.js';
import { silent } from '../support/log.js';
import { manualClock } from '../support/manual-clock.js';

const MESSAGES = 300;
const BYTES = 40_000;
/** Two reads of a socket, 64 KiB at most, and the beginnings of messages before them; Node reads up to 32 at once. */
const MOST = 6;

/** Work of a millisecond: meanwhile the sender catches up. */
const work = (): void => {
  for (const until = performance.now() + 1; performance.now() < until;);
};

describe('a WebSocket that sends much', () => {
  it('leaves time for others: in a turn of the event loop it is heard a little, and in all of it', async () => {
    let heard = 0;
    let inTurn = 0;
    let mostInTurn = 0;
    let over = (): void => undefined;
    const all = new Promise<void>((resolve) => {
      over = resolve;
    });
    const message = (): void => {
      heard += 1;
      inTurn += 1;
      mostInTurn = Math.max(mostInTurn, inTurn);
      setImmediate(() => {
        inTurn = 0;
      });
      work();
      if (heard === MESSAGES) over();
    };
    const started = await listen({
      address: '127.0.0.1',
      port: 0,
      routes: [],
      sockets: [{ path: '/ws', accept: () => E.right(() => ({ message, closed: () => undefined })) }],
      clock: manualClock(),
      log: silent,
    })();
    if (E.isLeft(started)) throw new Error(listenSentence(started.left));
    const { port } = started.right;
    const sender = new Worker(new URL('../support/flood.js', import.meta.url), {
      workerData: { port, messages: MESSAGES, bytes: BYTES },
    });
    await all;
    const closed = started.right.close();
    await once(sender, 'exit');
    await closed;
    expect(mostInTurn).to.be.at.most(MOST);
  });
});
