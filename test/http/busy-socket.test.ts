import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { socketOf } from '../support/routes.js';
import { startServer } from '../support/server.js';
import { manualTime } from '../support/manual-time.js';

const MESSAGES = 300;
const BYTES = 40_000;
/** One, and one more that came with the end of it. */
const MOST = 2;

/** Work of a millisecond: meanwhile the sender catches up. */
const work = (): void => {
  for (const until = performance.now() + 1; performance.now() < until;);
};

describe('a WebSocket that sends much', () => {
  it('leaves time for others: each turn of the event loop handles a few messages, until all are handled', async () => {
    let received = 0;
    let inTurn = 0;
    let mostInTurn = 0;
    let over = (): void => undefined;
    const all = new Promise<void>((resolve) => {
      over = resolve;
    });
    const message = (): void => {
      received += 1;
      inTurn += 1;
      mostInTurn = Math.max(mostInTurn, inTurn);
      setImmediate(() => {
        inTurn = 0;
      });
      work();
      if (received === MESSAGES) over();
    };
    const server = await startServer({
      sockets: [socketOf(() => ({ message, closed: () => undefined }))],
      time: manualTime(),
    });
    const { port } = server;
    const sender = new Worker(new URL('../support/flood.js', import.meta.url), {
      workerData: { port, messages: MESSAGES, bytes: BYTES },
    });
    await all;
    const closed = server.close();
    await once(sender, 'exit');
    await closed;
    expect(mostInTurn).to.be.at.most(MOST);
  });
});
