import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { WebSocket } from 'ws';
import { KITCHEN, startKitchen } from '../support/clock-fixture.js';
import { RED, startFixture } from '../support/dice-fixture.js';

/** The example of a client that comes back, in one of the documents. */
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
    answered: () => expect.fail('nothing was asked'),
  });
  return {
    begun,
    /** The numbers of the shown events, once there are so many. */
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

describe('The client that comes back', () => {
  it('of docs/dice-api.md shows each event once', async () => {
    const fixture = await startFixture();
    const { die } = await fixture.die(RED);
    const client = run('docs/dice-api.md', fixture.server.port);
    await client.begun;
    for (let count = 1; count <= 5; count++) {
      die.say({ _tag: 'Tap' });
      expect(await client.shown(count)).to.deep.equal(Array.from({ length: count }, (_, index) => index + 1));
      await client.breakOff();
    }
    client.end();
    await fixture.close();
  });

  it('of docs/clock-api.md shows each event once', async () => {
    const { fixture, device } = await startKitchen();
    const client = run('docs/clock-api.md', fixture.server.port);
    await client.begun;
    expect(KITCHEN).to.equal(device.address);
    for (let count = 1; count <= 5; count++) {
      device.measure({ temperature: count, humidity: 50 });
      const seqs = await client.shown(2 * count);
      expect([...seqs].sort((one, other) => one - other)).to.deep.equal(seqs);
      expect(new Set(seqs).size).to.equal(seqs.length);
      await client.breakOff();
    }
    client.end();
    await fixture.close();
  });
});
