import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { WebSocketServer } from 'ws';
import { Listener } from '../../simulators/testing/internal/listener.js';

describe('A client of a WebSocket', () => {
  let server: WebSocketServer;
  let url: string;

  beforeEach(async () => {
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
  });
  afterEach(() => server.close());

  const reason = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'none',
      (error: unknown) => String(error),
    );

  it('stops waiting when the server ends the connection', async () => {
    const client = await Listener.open(url);
    const waits = [client.next(), client.settled()];
    for (const socket of server.clients) socket.terminate();
    expect(await Promise.all(waits.map(reason))).to.deep.equal([
      `Error: no message that fits: the WebSocket ${url} was closed (1006)`,
      `Error: no pong: the WebSocket ${url} was closed (1006)`,
    ]);
    expect(await reason(client.settled())).to.contain('was closed (1006)');
  });

  it('cannot be opened without its server', async () => {
    server.close();
    await once(server, 'close');
    expect(await reason(Listener.open(url))).to.equal(
      `Error: the WebSocket ${url} cannot be opened: connection refused`,
    );
  });
});
