import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { systemTime, type TimeSource } from '../../src/async/time.js';
import { bytes } from '../../src/codecs/index.js';
import { endpoint } from '../../src/contract/index.js';
import { MAX_UNSENT, MAX_UNSENT_IN_ALL } from '../../src/http/connections.js';
import { DEFAULT_PROTECTION, type HttpServer } from '../../src/http/index.js';
import { at, rawGet } from '../support/client.js';
import { RawConnection } from '../../simulators/testing/internal/raw-connection.js';
import { requireUnix } from '../support/require.js';
import { routeOf } from '../support/routes.js';
import { startServer } from '../support/server.js';
import { steppedTime } from '../support/stepped-time.js';

/** More than the buffers of the system take for a connection. */
const ANSWER_32_MIB = Buffer.alloc(MAX_UNSENT_IN_ALL / 2, 'x');
const ANSWER_1_MIB = Buffer.alloc(MAX_UNSENT, 'x');
const ANSWER_1_KB = Buffer.alloc(1_000, 'x');

describe('a connection with unread answers', () => {
  let server: HttpServer;
  /** The signal of each request that was handled. */
  let handled: AbortSignal[];
  let onHandled: () => void;
  let clients: RawConnection[];
  /** Answers wait for it. */
  let gate: Promise<void>;

  const answer = (path: string, body: Buffer) =>
    routeOf(
      endpoint({ method: 'GET', path, summary: '', response: bytes('text/plain') }),
      (_given, { signal }) => {
        handled.push(signal);
        onHandled();
        return TE.fromTask(() => gate.then(() => body));
      },
    );

  const start = async ({
    unreadMs = 30_000,
    headersMs = DEFAULT_PROTECTION.headersMs,
    time = systemTime,
  }: { unreadMs?: number; headersMs?: number; time?: TimeSource } = {}): Promise<void> => {
    server = await startServer({
      time,
      protection: { ...DEFAULT_PROTECTION, requestsPerMinute: 0, unreadMs, headersMs },
      routes: [
        ...answer('/huge', ANSWER_32_MIB),
        ...answer('/big', ANSWER_1_MIB),
        ...answer('/small', ANSWER_1_KB),
      ],
    });
  };

  const open = async (): Promise<RawConnection> => {
    const client = await RawConnection.open(at(server.port));
    clients.push(client);
    return client;
  };

  /** Asks for much and reads nothing. */
  const openUnread = async (request: string): Promise<RawConnection> => {
    const client = await open();
    client.socket.pause();
    client.write(request);
    return client;
  };

  const handledOf = async (count: number): Promise<readonly AbortSignal[]> => {
    while (handled.length < count) await new Promise<void>((resolve) => (onHandled = resolve));
    return handled;
  };

  const aborted = async (signal: AbortSignal | undefined): Promise<void> => {
    if (signal?.aborted === false) await once(signal, 'abort');
  };

  beforeEach(() => {
    handled = [];
    clients = [];
    gate = Promise.resolve();
    onHandled = () => undefined;
  });

  afterEach(async () => {
    for (const { socket } of clients) socket.destroy();
    await server.close();
  });

  it('is closed when its client reads nothing, and handles few of the requests', async function () {
    requireUnix(this, 'the count of unsent bytes');
    await start({ unreadMs: 300 });
    await openUnread(rawGet('/big').repeat(200));
    const [signal] = await handledOf(1);
    await aborted(signal);
    expect(handled).to.have.lengthOf.below(100);
  });

  it('handles few requests at once, however small the answers', async () => {
    await start();
    await openUnread(rawGet('/small').repeat(1_000));
    await handledOf(1);
    expect(handled).to.have.lengthOf.below(50);
  });

  it('answers all pipelined requests as its client reads', async () => {
    await start();
    const client = await openUnread(rawGet('/small').repeat(2_000));
    await handledOf(1);
    client.write(rawGet('/small', 'Connection: close'));
    client.socket.resume();
    await client.closed;
    expect(client.statuses).to.deep.equal(Array(2_001).fill(200));
  });

  for (const [what, request] of [
    ['an upgrade', rawGet('/ws', 'Connection: Upgrade', 'Upgrade: websocket')],
    ['a CONNECT', 'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n'],
  ] as const)
    it(`is closed when its client reads nothing and ${what} waits behind the answers`, async function () {
      requireUnix(this, 'the count of unsent bytes');
      await start({ unreadMs: 300 });
      await openUnread(rawGet('/big').repeat(8) + request);
      const [signal] = await handledOf(1);
      await aborted(signal);
      expect(handled).to.have.lengthOf(8);
    });

  it('answers a request whose rest came while earlier ones were under way', async () => {
    let go: () => void = () => undefined;
    gate = new Promise((resolve) => (go = resolve));
    await start({ headersMs: 200 });
    const client = await open();
    const last = rawGet('/small', 'Connection: close');
    client.write(rawGet('/small').repeat(33) + last.slice(0, 20));
    await handledOf(32);
    client.write(last.slice(20));
    const later = await open();
    later.write(last.slice(0, 20));
    await later.until('408');
    go();
    await client.closed;
    expect(client.statuses).to.deep.equal(Array(34).fill(200));
  });

  it('stays while its client reads, however slowly', async function () {
    requireUnix(this, 'the count of unsent bytes');
    await start({ unreadMs: 1_500 });
    const client = await openUnread(rawGet('/huge'));
    const { socket } = client;
    let received = 0;
    socket.removeAllListeners('data').on('data', (part: string) => {
      received += part.length;
      socket.pause();
    });
    while (received < ANSWER_32_MIB.length) {
      await setTimeout(5);
      socket.resume();
      await once(socket, 'data');
    }
    expect(handled).to.have.lengthOf(1);
  });

  it('is closed when all connections together have too many, and others are served', async () => {
    await start();
    for (let n = 1; n <= 5; n++) {
      await openUnread(rawGet('/huge'));
      await handledOf(n);
    }
    await Promise.race(handled.map(aborted));
    const client = await open();
    client.write(rawGet('/small'));
    await client.until(ANSWER_1_KB.toString());
    expect(handled.filter((signal) => signal.aborted)).to.have.lengthOf.below(5);
  });

  it('delays the end of the server by half a second', async () => {
    const time = steppedTime();
    await start({ time });
    await openUnread(rawGet('/huge'));
    await handledOf(1);
    const over = server.close();
    await time.pass(500);
    await over;
  });
});
