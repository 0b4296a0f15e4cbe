import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { pino } from 'pino';
import { json, object, text } from '../../src/codecs/index.js';
import { endpoint, healthEndpoints, socket } from '../../src/contract/index.js';
import {
  healthRoutes,
  listenMessage,
  logRoutes,
  socketRoute,
  type Connection,
  type HttpServer,
  type Route,
  type SocketRoute,
} from '../../src/http/index.js';
import { shuttingDown } from '../../src/operations/index.js';
import { HEARTBEAT_MS } from '../../src/http/socket.js';
import { wait } from '../../src/async/wait.js';
import {
  abandon,
  type Answer,
  at,
  type Init,
  listenTo,
  post,
  refusalOf,
  request,
} from '../support/client.js';
import { rawBody, rawExchange } from '../../simulators/testing/internal/raw-connection.js';
import { routeOf, socketOf } from '../support/routes.js';
import { listenOn, startServer } from '../support/server.js';
import { steppedTime, type SteppedTime } from '../support/stepped-time.js';

const codeOf = ({ body }: Answer): unknown => (body as { readonly code: unknown }).code;

/** Status and code of an error. */
const refusal = (answer: Answer): readonly unknown[] => [answer.status, codeOf(answer)];

describe('the HTTP server', () => {
  let time: SteppedTime;
  let server: HttpServer;
  let ready: boolean;
  let connections: Connection[];
  let messages: string[];
  let closedSockets: number;
  let waiting: () => void;
  let waits: Promise<void>;
  let signals: AbortSignal[];

  const get = { method: 'GET', summary: '', response: json() } as const;
  const things = { ...get, path: '/things/:id', params: { id: text } } as const;
  const name = object({ name: text });
  const stream = socket({ path: '/ws', summary: '', query: {}, events: [] });
  const fail = (): never => {
    throw new Error('secret');
  };

  const routes = (): readonly Route[] => [
    ...healthRoutes(healthEndpoints({ adapter: text }), () => ({
      ready,
      reason: 'the adapter is off',
      details: { adapter: 'poweredOn' },
    })),
    ...logRoutes(pino({ enabled: false })),
    ...routeOf(
      endpoint({ method: 'POST', path: '/echo', summary: '', body: name, response: name }),
      ({ body }) => TE.right({ name: body.name }),
    ),
    ...routeOf(endpoint({ ...get, method: 'POST', path: '/ignore' }), (input) =>
      TE.right({ read: 'body' in input && input.body !== undefined }),
    ),
    ...routeOf(endpoint({ ...things, query: { q: text } }), ({ params: { id }, query: { q = null } }) =>
      TE.right({ id, query: q }),
    ),
    ...routeOf(endpoint({ ...things, method: 'PUT', body: json() }), () => TE.right({})),
    ...routeOf(endpoint({ ...things, method: 'DELETE' }), () => TE.right({})),
    ...routeOf(endpoint({ ...get, path: '/defect' }), () => () => Promise.reject(new Error('secret'))),
    ...routeOf(endpoint({ ...get, path: '/defect/at-once' }), fail),
    ...routeOf(endpoint({ ...get, path: '/defect/in-answer' }), () => TE.right({ toJSON: fail } as never)),
    ...routeOf(endpoint({ ...get, path: '/wait' }), (_given, { signal }) => {
      signals.push(signal);
      return pipe(
        wait<Json>({ time, ms: null, signal }, () => {
          waiting();
          return () => undefined;
        }),
        TE.mapLeft(() => shuttingDown),
      );
    }),
  ];

  const sockets: readonly SocketRoute[] = [
    socketOf((connection) => {
      connections.push(connection);
      return { message: (said) => messages.push(said), closed: () => (closedSockets += 1) };
    }),
  ];

  beforeEach(async () => {
    time = steppedTime();
    ready = true;
    connections = [];
    messages = [];
    closedSockets = 0;
    signals = [];
    waits = new Promise((resolve) => (waiting = resolve));
    server = await startServer({ routes: routes(), sockets, time });
  });

  afterEach(async () => {
    await server.close();
    expect(time.pending).to.equal(0);
  });

  describe('answers', () => {
    it('a request with the result of the handler', async () => {
      expect((await post(server.port, '/echo', { name: 'x', newer: 1 })).body).to.deep.equal({ name: 'x' });
      const { status, body, headers } = await request(server.port, '/things/a%20b?q=1');
      expect([status, body]).to.deep.equal([200, { id: 'a b', query: '1' }]);
      expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.has('x-powered-by')).to.equal(false);
      expect(headers.has('etag')).to.equal(false);
    });

    it('a condition with the whole answer', async () => {
      const received = await rawExchange(
        at(server.port),
        'GET /things/1 HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: *\r\nConnection: close\r\n\r\n',
      );
      expect(received).to.match(/^HTTP\/1\.1 200 OK\r\n/);
      expect(rawBody(received)).to.deep.equal({ id: '1', query: null });
    });

    it('HEAD as GET without a body', async () => {
      const { status, body } = await request(server.port, '/things/1', { method: 'HEAD' });
      expect([status, body]).to.deep.equal([200, undefined]);
    });

    it('OPTIONS with the methods of a path', async () => {
      const { status, headers } = await request(server.port, '/things/1', { method: 'OPTIONS' });
      expect([status, headers.get('allow')]).to.deep.equal([204, 'GET, PUT, DELETE, HEAD, OPTIONS']);
    });

    for (const [framing, body] of [
      ['Content-Length: 15', '{"name":"Zoë"}'],
      ['Transfer-Encoding: chunked', '6\r\n{"name\r\n9\r\n":"Zoë"}\r\n0\r\n\r\n'],
    ] as const) {
      it(`a request that offers another protocol, as if it did not, and ends the connection (${framing})`, async () => {
        const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n';
        const received = await rawExchange(
          at(server.port),
          `POST /echo HTTP/1.1\r\nHost: localhost\r\n${offer}Content-Type: application/json\r\n${framing}\r\n\r\n${body}`,
        );
        expect(received).to.match(/^HTTP\/1.1 200 OK\r\n([^]*\r\n)?Connection: close\r\n/);
        expect(rawBody(received)).to.deep.equal({ name: 'Zoë' });
      });
    }

    it('a compressed body', async () => {
      const answer = await request(server.port, '/echo', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json; charset=UTF-8', 'Content-Encoding': 'gzip' },
        body: gzipSync('{"name":"x"}'),
      });
      expect(answer.body).to.deep.equal({ name: 'x' });
    });

    it('a route without a body, whatever is sent to it', async () => {
      for (const type of ['application/json', 'text/plain', 'nonsense']) {
        const { status, body } = await request(server.port, '/ignore', {
          method: 'POST',
          headers: { 'Content-Type': type },
          body: '{'.repeat(200_000),
        });
        expect([status, body]).to.deep.equal([200, { read: false }]);
      }
      expect((await request(server.port, '/ignore', { method: 'POST' })).status).to.equal(200);
    });
  });

  describe('refuses in JSON', () => {
    const JSON_TYPE = { 'Content-Type': 'application/json' };
    const large = 'x'.repeat(1_000_000);
    const echo = (body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) =>
      ['/echo', { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body }] as const;

    const cases: readonly (readonly [
      what: string,
      asked: readonly [path: string, init?: Init],
      refusal: string,
    ])[] = [
      ['a path in another case', ['/Health'], '404 unknown_route'],
      ['another method of a WebSocket', ['/ws', { method: 'POST' }], '405 method_not_allowed'],
      ['the inner path of a WebSocket', ['/ws/.websocket'], '404 unknown_route'],
      ['bytes that are not UTF-8', echo(Buffer.from([0x22, 0xff, 0x22])), '400 invalid_json'],
      [
        'a body that unpacks large',
        echo(gzipSync(large), { 'Content-Encoding': 'gzip' }),
        '413 body_too_large',
      ],
      ['a broken gzip', echo('{}', { 'Content-Encoding': 'gzip' }), '400 malformed_request'],
      [
        'another charset',
        echo('{}', { 'Content-Type': 'application/json; charset=latin1' }),
        '415 unsupported_media_type',
      ],
      ['another content encoding', echo('{}', { 'Content-Encoding': 'zebra' }), '415 unsupported_media_type'],
      ['a defect of a task', ['/defect'], '500 internal_error'],
      ['a defect of a handler', ['/defect/at-once'], '500 internal_error'],
      ['a defect in an answer', ['/defect/in-answer'], '500 internal_error'],
    ];
    for (const [what, [path, init], expected] of cases) {
      it(`${what}: ${expected}`, async () => {
        const answer = await request(server.port, path, init);
        expect(refusal(answer).join(' ')).to.equal(expected);
        expect(answer.headers.get('content-type')).to.contain('application/json');
        expect(JSON.stringify(answer.body)).to.not.contain('secret').and.to.not.contain('    at ');
      });
    }

    const RAW: readonly (readonly [what: string, sent: string, received: RegExp])[] = [
      [
        'a WebSocket without an upgrade, and closes if that was requested',
        'GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
        /^HTTP\/1\.1 426 Upgrade Required(?=\r\n[^]*\r\nUpgrade: websocket\r\n)[^]*\r\nConnection: Upgrade\r\nConnection: close\r\n/,
      ],
      [
        'bytes other than HTTP',
        'GARBAGE\r\n\r\n',
        /^HTTP\/1\.1 400 Bad Request\r\n[^]*"error":"the request is not valid HTTP","code":"malformed_request"/,
      ],
      [
        'headers that are too large',
        `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
        /^HTTP\/1\.1 431 /,
      ],
      [
        'a bad handshake of a WebSocket',
        'GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n',
        /^HTTP\/1\.1 400 Bad Request\r\n[^]*"error":"bad WebSocket handshake: Missing or invalid Sec-WebSocket-Key header","code":"bad_handshake"/,
      ],
    ];
    for (const [what, sent, received] of RAW)
      it(what, async () => expect(await rawExchange(at(server.port), sent)).to.match(received));

    it('nothing because of a missing Host header or an expectation', async () => {
      const received = await rawExchange(at(server.port), 'GET /health HTTP/1.0\r\nExpect: much\r\n\r\n');
      expect(received).to.match(/^HTTP\/1\.1 200 /);
    });
  });

  describe('a WebSocket', () => {
    it('is refused at the upgrade for its query', async () => {
      const answer = await refusalOf(server.port, '/ws?detail=bad');
      expect([answer.status, answer.body]).to.deep.equal([
        400,
        { error: 'detail must be full, got "bad"', code: 'invalid_input' },
      ]);
    });

    it('carries messages both ways and reports when it is closed', async () => {
      const client = await listenTo(server.port, '/ws');
      connections[0]?.send(JSON.stringify({ n: 1 }));
      expect(await client.next()).to.deep.equal({ n: 1 });
      client.socket.send('hello');
      client.socket.close();
      await client.closed;
      expect(messages).to.deep.equal(['hello']);
      expect(closedSockets).to.equal(1);
    });

    it('is closed with 1009 for a message over 64 KiB', async () => {
      const client = await listenTo(server.port, '/ws');
      client.socket.send('x'.repeat(64 * 1024 + 1));
      expect(await client.closed).to.equal(1009);
      expect(messages).to.deep.equal([]);
    });

    it('is dropped after two missed pongs, and kept while it responds', async () => {
      const silentClient = await listenTo(server.port, '/ws');
      silentClient.socket.pong = () => undefined;
      const client = await listenTo(server.port, '/ws');
      for (let beat = 0; beat < 3; beat++) {
        const pinged = beat < 2 ? once(client.socket, 'ping') : Promise.resolve();
        time.advance(HEARTBEAT_MS);
        await pinged;
        await request(server.port, '/health');
      }
      expect(await silentClient.closed).to.equal(1006);
      connections[1]?.send(JSON.stringify('still here'));
      expect(await client.next()).to.equal('still here');
    });
  });

  describe('at its end', () => {
    it('aborts waiting requests, closes sockets with 1001 and idle connections, and frees the port', async () => {
      const client = await listenTo(server.port, '/ws');
      const idle = connect(server.port, '127.0.0.1');
      await once(idle, 'connect');
      const answer = request(server.port, '/wait');
      await waits;
      await Promise.all([server.close(), once(idle, 'close')]);
      expect(codeOf(await answer)).to.equal('shutting_down');
      expect(await client.closed).to.equal(1001);
      expect(closedSockets).to.equal(1);
      const again = await listenOn({ port: server.port, time })();
      expect(E.isRight(again)).to.equal(true);
      if (E.isRight(again)) await again.right.close();
    });

    it('refuses what comes while it drains with 503', async () => {
      await server.drain();
      const answer = await request(server.port, '/health');
      expect(refusal(answer)).to.deep.equal([503, 'shutting_down']);
      expect((await refusalOf(server.port, '/ws')).status).to.equal(503);
    });

    it('does not wait for a socket that does not complete the close', async () => {
      const client = await listenTo(server.port, '/ws');
      client.socket.pause();
      const over = server.close();
      await time.pass(2_000);
      await over;
      client.socket.terminate();
    });

    it('closes once, however often it is called', async () => {
      await Promise.all([server.close(), server.close()]);
      await server.close();
    });
  });

  it('answers PUT /log with the level alone, however deep the rest of the body', async () => {
    const body = `{"verbose": 2, "more": ${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    const answer = await request(server.port, '/log', { method: 'PUT', body });
    expect([answer.status, answer.body]).to.deep.equal([200, { verbose: 2 }]);
  });

  it('reports to a handler that its client has disconnected', async () => {
    const leave = abandon(server.port, '/wait');
    await waits;
    const [signal] = signals;
    if (signal === undefined) throw new Error('nothing waits');
    const aborted = once(signal, 'abort');
    await leave();
    await aborted;
  });

  it('says why it cannot listen', async () => {
    const { port } = server;
    const second = await listenOn({ port, time })();
    expect(second).to.deep.equal(E.left({ _tag: 'PortInUse', address: '127.0.0.1', port }));
    if (E.isLeft(second)) expect(listenMessage(second.left)).to.contain('in use');
    const elsewhere = await listenOn({ address: '192.0.2.1', time })();
    expect(E.isLeft(elsewhere) && listenMessage(elsewhere.left)).to.equal(
      'cannot listen on port 0 of 192.0.2.1: this machine has no such address',
    );
  });

  it('answers an upgrade that it fails on with 500, and goes on', async () => {
    const failing = await startServer({ sockets: [socketRoute(stream, fail)], time });
    expect(refusal(await refusalOf(failing.port, stream.path))).to.deep.equal([500, 'internal_error']);
    expect(codeOf(await request(failing.port, '/nothing'))).to.equal('unknown_route');
    await failing.close();
  });
});
