import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { WebSocket, WebSocketServer } from 'ws';
import { Message } from '../../src/http/route.js';

describe('A message to many WebSockets', () => {
  it('is framed as in the examples of RFC 6455, 5.7', () => {
    expect(new Message('Hello').frame.toString('hex')).to.equal('810548656c6c6f');
    // 256 bytes and 64 KiB; the examples are binary messages, whose first byte is 0x82.
    expect(new Message('x'.repeat(256)).frame.subarray(0, 5).toString('hex')).to.equal('817e010078');
    expect(new Message('x'.repeat(65_536)).frame.subarray(0, 11).toString('hex')).to.equal(
      '817f000000000001000078',
    );
  });

  it('of any length is what a client reads, between others that were sent otherwise', async () => {
    const texts = [0, 1, 125, 126, 65_535, 65_536, 200_000].map(
      (length) => 'ü'.repeat(length >> 1) + 'x'.repeat(length & 1),
    );
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    server.once('connection', (socket, { socket: stream }) => {
      for (const text of texts) {
        stream.write(new Message(text).frame);
        socket.send('between');
      }
      socket.close();
    });
    await once(server, 'listening');
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const received: string[] = [];
    client.on('message', (data: Buffer) => void received.push(data.toString()));
    await once(client, 'close');
    server.close();
    expect(received).to.deep.equal(texts.flatMap((text) => [text, 'between']));
  });
});
