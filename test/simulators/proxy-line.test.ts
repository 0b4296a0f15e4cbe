import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openLine, type Line } from '../../simulators/proxy/line.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';

describe('A line of a virtual proxy', () => {
  let time: ManualTime;
  let network: { delay: () => number; isStalled: () => boolean };
  let client: Socket;
  let line: Line;
  let received: string;
  let close: () => void;

  beforeEach(async () => {
    time = manualTime();
    network = { delay: () => 0, isStalled: () => false };
    received = '';
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const bound = server.address();
    client = connect({ host: '127.0.0.1', port: typeof bound === 'object' ? (bound?.port ?? 0) : 0 });
    const [socket] = (await once(server, 'connection')) as [Socket];
    line = openLine(socket, { delay: () => network.delay(), isStalled: () => network.isStalled() }, time);
    line.stream.on('data', (bytes: Buffer) => (received += bytes.toString()));
    close = () => {
      line.stream.destroy();
      client.destroy();
      server.close();
    };
  });
  afterEach(() => close());

  const sent = async (): Promise<string> => String(((await once(client, 'data')) as [Buffer])[0]);

  it('forwards bytes at once while the network is good', async () => {
    client.write('question');
    await once(line.stream, 'data');
    line.stream.write('answer');
    expect([received, await sent()]).to.deep.equal(['question', 'answer']);
  });

  it('forwards bytes in order after their delays', async () => {
    const delays = [50, 10];
    network.delay = () => delays.shift() ?? 0;
    const arrived = sent();
    line.stream.write('first ');
    line.stream.write('second');
    time.advance(49);
    expect(client.bytesRead).to.equal(0);
    time.advance(1);
    expect(await arrived).to.match(/^first /);
  });

  it('holds bytes back while it is stalled, without loss', async () => {
    network.isStalled = () => true;
    const arrived = sent();
    line.stream.write('late');
    time.advance(100_000);
    expect(client.bytesRead).to.equal(0);
    network.isStalled = () => false;
    line.pump();
    expect(await arrived).to.equal('late');
  });

  it('makes a sender wait if many bytes are pending', () => {
    network.isStalled = () => true;
    const taken = Array.from({ length: 8 }, () => line.stream.write(Buffer.alloc(32_768)));
    expect(taken.at(-1)).to.equal(false);
    expect(line.stream.writableLength).to.be.greaterThan(0);
  });

  it('ends with its socket', async () => {
    const closed = once(line.stream, 'close');
    client.destroy();
    await closed;
    expect(line.stream.destroyed).to.equal(true);
  });
});
