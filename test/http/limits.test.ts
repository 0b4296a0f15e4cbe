import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { WebSocket } from 'ws';
import { tokenAccess } from '../../src/access/access.js';
import { object, text } from '../../src/codecs/index.js';
import { endpoint, healthEndpoints } from '../../src/contract/index.js';
import { DEFAULT_PROTECTION, healthRoutes, type HttpServer, type Protection } from '../../src/http/index.js';
import { type Answer, at, listenTo, refusalOf, request, type Init } from '../support/client.js';
import type { ListenerOptions } from '../../simulators/testing/internal/listener.js';
import { RawConnection, rawBody } from '../../simulators/testing/internal/raw-connection.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';
import { requireLinux } from '../support/require.js';
import { routeOf, socketOf } from '../support/routes.js';
import { startServer } from '../support/server.js';

const name = object({ name: text });

const tokens = tokenAccess([
  { name: 'kitchen', scope: 'full', token: 'kitchen-0123456789' },
  { name: 'hall', scope: 'read', token: 'hall-0123456789abc' },
]);

const as = (token: string): Init => ({ headers: { Authorization: `Bearer ${token}` } });

describe('limits', () => {
  let server: HttpServer;
  let sockets: WebSocket[] = [];
  /** The requests of `/rolls` that wait for their answers, from anyone, and a function that answers them. */
  let reads: { begun: number; readonly answered: Promise<void>; answer: () => void };
  /** One for each request of `/wait` that has been given up. */
  let givenUp: Promise<void>;
  let time: ManualTime;

  const start = async (protection: Partial<Protection>): Promise<number> => {
    let gone = (): void => undefined;
    givenUp = new Promise((resolve) => (gone = resolve));
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    reads = { begun: 0, answered, answer };
    const row = { method: 'POST', summary: '', response: name } as const;
    time = manualTime();
    server = await startServer({
      time,
      protection: { ...DEFAULT_PROTECTION, ...protection },
      routes: [
        ...healthRoutes(healthEndpoints({}), () => ({ ready: true, reason: '', details: {} })),
        ...routeOf(endpoint({ ...row, path: '/echo', body: name }), ({ body }) => TE.right(body)),
        ...routeOf(endpoint({ ...row, method: 'GET', path: '/name' }), () => TE.right({ name: 'airbench' })),
        ...routeOf(
          endpoint({ ...row, method: 'GET', path: '/rolls', fails: ['history_unavailable'] }),
          () => async () => {
            reads.begun += 1;
            await reads.answered;
            return E.right({ name: 'six' });
          },
        ),
        ...routeOf(
          endpoint({ ...row, path: '/wait' }),
          (_given, { signal }) =>
            () =>
              new Promise(() => signal.addEventListener('abort', gone)),
        ),
      ],
      sockets: [socketOf(() => ({ message: () => undefined, closed: () => undefined }))],
    });
    return server.port;
  };

  afterEach(async () => {
    for (const socket of sockets) socket.terminate();
    sockets = [];
    await server.close();
  });

  const statusesOf = async (port: number, inits: readonly Init[]): Promise<readonly number[]> => {
    const statuses: number[] = [];
    for (const init of inits) statuses.push((await request(port, '/name', init)).status);
    return statuses;
  };

  /** The status of a request from another address of this machine. */
  const statusFrom = async (
    port: number,
    localAddress: string,
    path = '/name',
  ): Promise<number | undefined> => {
    const sent = httpRequest({ host: '127.0.0.1', port, path, localAddress, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };

  const opened = async (port: number, options?: ListenerOptions): Promise<WebSocket> => {
    const { socket } = await listenTo(port, '/ws', options);
    sockets.push(socket);
    return socket;
  };

  const refused = (port: number, options?: ListenerOptions) => refusalOf(port, '/ws', options);

  const expectTooMany = (
    { status, headers, body }: Answer,
    error: string,
    [min, max]: readonly [number, number],
  ) => {
    expect(status).to.equal(429);
    expect(body).to.include({ error, code: 'too_many_requests' });
    expect(Number(headers.get('retry-after'))).to.be.within(min, max);
  };

  const TOO_MANY = 'too many requests: at most 3 a minute are answered';

  describe('of requests for the history', () => {
    it('answer 429 beyond 32 of one client that wait', async () => {
      const port = await start({});
      const waiting = Array.from({ length: 32 }, () => request(port, '/rolls'));
      while (reads.begun < 32) expect((await request(port, '/name')).status).to.equal(200);
      expectTooMany(
        await request(port, '/rolls'),
        'too many requests for the history at once: at most 32 of one client are answered',
        [1, 1],
      );
      reads.answer();
      expect((await Promise.all(waiting)).every(({ status }) => status === 200)).to.equal(true);
      expect((await request(port, '/rolls')).status).to.equal(200);
    });

    it('leave room for other clients, 128 in all', async function () {
      requireLinux(this, 'other addresses of loopback');
      const port = await start({});
      const from = (address: number, count: number) =>
        Array.from({ length: count }, () => statusFrom(port, `127.0.0.${address}`, '/rolls'));
      const waiting = [2, 3, 4, 5].flatMap((address) => from(address, 32));
      while (reads.begun < 128) expect((await request(port, '/name')).status).to.equal(200);
      expect(await Promise.all(from(6, 1))).to.deep.equal([429]);
      reads.answer();
      expect(new Set(await Promise.all(waiting))).to.deep.equal(new Set([200]));
    });
  });

  describe('of requests', () => {
    it('answer 429, with when to try again', async () => {
      const port = await start({ requestsPerMinute: 3 });
      expect(await statusesOf(port, [{}, {}, {}])).to.deep.equal([200, 200, 200]);
      expectTooMany(await request(port, '/name'), TOO_MANY, [1, 60]);
    });

    it('count whatever is asked for', async () => {
      const port = await start({ requestsPerMinute: 3 });
      for (const path of ['/nothing', '/echo', '/ws']) await request(port, path);
      expectTooMany(await request(port, '/nothing'), TOO_MANY, [1, 60]);
    });

    it('count upgrades too', async () => {
      const port = await start({ requestsPerMinute: 3 });
      for (let n = 0; n < 3; n++) await opened(port);
      expectTooMany(await refused(port), TOO_MANY, [1, 60]);
    });

    it('do not count looks at the health of the server', async () => {
      const port = await start({ requestsPerMinute: 1 });
      const paths = ['/health', '/ready', '/name', '/name', '/health', '/ready'];
      const statuses = [];
      for (const path of paths) statuses.push((await request(port, path)).status);
      expect(statuses).to.deep.equal([200, 200, 200, 429, 200, 200]);
    });

    it('begin again after a minute', async () => {
      const port = await start({ requestsPerMinute: 1 });
      expect(await statusesOf(port, [{}, {}])).to.deep.equal([200, 429]);
      time.advance(59_999);
      expect((await request(port, '/name')).headers.get('retry-after')).to.equal('1');
      time.advance(1);
      expect(await statusesOf(port, [{}, {}])).to.deep.equal([200, 429]);
    });

    it('do not exist where 0 is given', async () => {
      const port = await start({ requestsPerMinute: 0 });
      const answers = await Promise.all(Array.from({ length: 50 }, () => request(port, '/name')));
      expect(answers.filter(({ status }) => status !== 200)).to.deep.equal([]);
    });

    it('count each address for itself', async function () {
      requireLinux(this, 'other addresses of loopback');
      const port = await start({ requestsPerMinute: 1 });
      const from = ['127.0.0.2', '127.0.0.2', '127.0.0.3', '127.0.0.3'];
      const statuses = [];
      for (const address of from) statuses.push(await statusFrom(port, address));
      expect(statuses).to.deep.equal([200, 429, 200, 429]);
    });

    const TRUSTED = { proxies: ['loopback'] };
    for (const [title, protection, clients, statuses] of [
      [
        'the clients of a trusted proxy, IPv6 clients by their networks',
        TRUSTED,
        ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::9:0:0:1', '2001:db8:0:1::1'],
        [200, 200, 200, 429, 200],
      ],
      [
        'a client of a trusted proxy whatever port the proxy forwards',
        TRUSTED,
        ['192.0.2.1:4711', '192.0.2.1:4712', '[2001:db8::1]:4711', '[2001:db8::2]'],
        [200, 429, 200, 429],
      ],
      [
        'the proxy itself where it forwards no address',
        TRUSTED,
        ['unknown', 'x1', '1.2.3.4:5:6'],
        [200, 429, 429],
      ],
      ['the address of a client that only claims to be a proxy', {}, ['192.0.2.1', '192.0.2.2'], [200, 429]],
    ] as const) {
      it(`count ${title}`, async () => {
        const port = await start({ requestsPerMinute: 1, ...protection });
        const headers = clients.map((client) => ({ headers: { 'X-Forwarded-For': client } }));
        expect(await statusesOf(port, headers)).to.deep.equal(statuses);
      });
    }

    it('count each token for itself, and guesses by their address', async () => {
      const port = await start({ requestsPerMinute: 1, access: tokens });
      const guesses = ['guess-0123456789-a', 'guess-0123456789-b'];
      const sent = ['kitchen-0123456789', 'kitchen-0123456789', 'hall-0123456789abc', ...guesses];
      expect(await statusesOf(port, sent.map(as))).to.deep.equal([200, 429, 200, 401, 429]);
    });
  });

  describe('of WebSockets', () => {
    const FULL = 'too many WebSockets: the server has room for 3';
    const OWN_FULL = 'too many WebSockets: one address may have 2';

    it('of all', async () => {
      const port = await start({ sockets: 3 });
      for (let n = 0; n < 3; n++) await opened(port);
      expectTooMany(await refused(port), FULL, [10, 10]);
    });

    it('of one address, of which another notices nothing', async function () {
      requireLinux(this, 'other addresses of loopback');
      const port = await start({ socketsPerAddress: 2 });
      const [first] = [await opened(port), await opened(port)];
      expectTooMany(await refused(port), OWN_FULL, [10, 10]);
      await opened(port, { localAddress: '127.0.0.2' });
      expect(first.readyState).to.equal(WebSocket.OPEN);
    });

    it('of an IPv6 client, by its network', async () => {
      const port = await start({ socketsPerAddress: 2, proxies: ['loopback'] });
      const of = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
      for (const host of ['1', '2']) await opened(port, of(`2001:db8::${host}`));
      expectTooMany(await refused(port, of('2001:db8::3')), OWN_FULL, [10, 10]);
      await opened(port, of('2001:db8:0:1::1'));
    });

    it('hold for many that come at once', async () => {
      const port = await start({ socketsPerAddress: 20 });
      const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => opened(port)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(20);
    });

    it('leave room again after a close', async () => {
      const port = await start({ sockets: 1 });
      const first = await opened(port);
      await refused(port);
      first.close();
      await once(first, 'close');
      await opened(port);
    });
  });

  describe('of how long a request may take to arrive', () => {
    const SHORT = { headersMs: 300, requestMs: 600, unreadMs: 200 };
    const LATE = { error: 'the request did not arrive in time', code: 'request_timeout' };
    const TRICKLE_MS = 50;

    /** Sends `begin`, then a byte at a time until the server closes; answers with what came. */
    const trickle = async (port: number, begin: string): Promise<RawConnection> => {
      const client = await RawConnection.open(at(port));
      client.write(begin);
      const drops = setInterval(() => client.write(begin === '' ? '' : 'x'), TRICKLE_MS);
      await client.closed;
      clearInterval(drops);
      return client;
    };

    const bodyFor = (path: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n`;

    const slow: readonly (readonly [what: string, begin: string])[] = [
      ['nothing at all', ''],
      ['headers that trickle', 'GET /name HTTP/1.1\r\nHost: localhost\r\nX-Name: '],
      ['a body that trickles', bodyFor('/echo')],
      [
        'a body in chunks that trickles',
        bodyFor('/echo').replace(/Content-Length.*\r\n/, 'Transfer-Encoding: chunked\r\n') + 'ffff\r\n',
      ],
      ['a body that trickles while its handler waits, which is given up', bodyFor('/wait')],
    ];
    for (const [what, begin] of slow) {
      it(`end ${what} with 408`, async () => {
        const { statuses, received } = await trickle(await start(SHORT), begin);
        expect(statuses).to.deep.equal([408]);
        expect(rawBody(received)).to.include(LATE);
        if (begin.includes('/wait')) await givenUp;
      });
    }

    it('end a body that trickles after its answer', async () => {
      const { statuses } = await trickle(await start(SHORT), bodyFor('/nothing'));
      expect(statuses).to.deep.equal([404, 408]);
    });

    it('allow a body that comes in pieces, in time', async () => {
      const client = await RawConnection.open(at(await start({ headersMs: 1_000, requestMs: 5_000 })));
      const body = JSON.stringify({ name: 'x'.repeat(200) });
      client.write(bodyFor('/echo').replace('60000', String(body.length)));
      for (let at = 0; at < body.length; at += 20) {
        client.write(body.slice(at, at + 20));
        await setTimeout(10);
      }
      await client.until(body);
      expect(client.statuses).to.deep.equal([200]);
      client.socket.destroy();
    });

    it('allow an answer that takes long', async () => {
      const port = await start(SHORT);
      const client = await RawConnection.open(at(port));
      client.write('POST /wait HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n');
      await trickle(port, '');
      expect(client.received).to.equal('');
      client.socket.destroy();
      await givenUp;
    });

    it('close a connection without further requests after the time in its header Keep-Alive', async () => {
      const client = await RawConnection.open(at(await start({ idleMs: 1_000 })));
      client.write('GET /name HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await client.closed;
      expect(client.statuses).to.deep.equal([200]);
      expect(client.received).to.contain('\r\nKeep-Alive: timeout=1\r\n');
    });
  });
});
