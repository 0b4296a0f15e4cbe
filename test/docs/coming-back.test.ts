import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { WebSocket } from 'ws';
import { startKitchen } from '../support/clock-fixture.js';
import { RED, startFixture } from '../support/dice-fixture.js';

/** The example of a client that comes back, from a document. */
const exampleIn = (document: string): string =>
  /## Coming back\n[^]*?```js\n([^]*?)```/.exec(readFileSync(document, 'utf8'))?.[1] ?? expect.fail(document);

interface Shown {
  readonly seq: number;
}

/** Runs an example on a server. */
const run = (document: string, port: number) => {
  const shown: Shown[] = [];
  const sockets: WebSocket[] = [];
  let heard = (): void => undefined;
  let over = false;
  const code = exampleIn(document).replace('localhost:3000', `127.0.0.1:${port}`);
  const begun: unknown = runInNewContext(`(async () => { ${code} })()`, {
    fetch,
    WebSocket: class extends WebSocket {
      constructor(url: string) {
        super(url);
        sockets.push(this);
      }
    },
    setTimeout: (task: () => void) => {
      if (!over) task();
    },
    show: (event: Shown) => {
      shown.push(event);
      heard();
    },
    readAllAgain: () => expect.fail('events were missed'),
    answered: () => expect.fail('the example sent no command'),
  });
  return {
    begun,
    /** Resolves with the numbers of the shown events when their count is reached. */
    shown: async (count: number): Promise<readonly number[]> => {
      while (shown.length < count) await new Promise<void>((resolve) => (heard = resolve));
      return shown.map(({ seq }) => seq);
    },
    breakOff: async (): Promise<void> => {
      const socket = sockets.at(-1);
      if (socket?.readyState === WebSocket.CONNECTING) await once(socket, 'open');
      socket?.terminate();
    },
    end: () => {
      over = true;
    },
  };
};

/** Runs the example, and breaks its connection after each of five happenings. Each happening makes this number of events. */
const comeBack = async (document: string, port: number, events: number, happen: (count: number) => void) => {
  const client = run(document, port);
  await client.begun;
  for (let count = 1; count <= 5; count++) {
    happen(count);
    const seqs = await client.shown(events * count);
    expect([...new Set(seqs)].sort((a, b) => a - b)).to.deep.equal(seqs);
    await client.breakOff();
  }
  client.end();
};

describe('The client that comes back', () => {
  it('of docs/dice-api.md shows each event once', async () => {
    const fixture = await startFixture();
    const { die } = await fixture.die(RED);
    await comeBack('docs/dice-api.md', fixture.server.port, 1, () => die.say({ _tag: 'Tap' }));
    await fixture.close();
  });

  it('of docs/clock-api.md shows each event once', async () => {
    const { fixture, device } = await startKitchen();
    await comeBack('docs/clock-api.md', fixture.server.port, 2, (temperature) =>
      device.measure({ temperature, humidity: 50 }),
    );
    await fixture.close();
  });
});
