import { once } from 'node:events';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { HEARTBEAT_MS } from '../../src/http/socket.js';
import { type Connection, type HttpServer, metricsRoutes } from '../../src/http/index.js';
import { openMetrics, type Metrics } from '../../src/metrics/metrics.js';
import { at, listenTo, refusalOf } from '../support/client.js';
import { rawBody, rawExchange } from '../../simulators/testing/internal/raw-connection.js';
import { figuresOf } from '../support/figures.js';
import { socketOf } from '../support/routes.js';
import { startServer } from '../support/server.js';
import { steppedTime, type SteppedTime } from '../support/stepped-time.js';

describe('The metrics and the log of WebSockets', () => {
  let time: SteppedTime;
  let metrics: Metrics;
  let server: HttpServer;
  let connections: Connection[];
  let ids: number;
  let lines: Record<string, unknown>[];

  beforeEach(async () => {
    time = steppedTime();
    metrics = openMetrics('test');
    connections = [];
    ids = 0;
    lines = [];
    server = await startServer({
      time,
      metrics,
      log: pino(
        { level: 'debug' },
        { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
      ),
      newRequestId: () => `made-${ids++}`,
      routes: metricsRoutes(metrics),
      sockets: [
        socketOf((connection) => {
          connections.push(connection);
          return {
            message: () => {
              throw new Error('a defect');
            },
            closed: () => undefined,
          };
        }),
      ],
    });
  });
  afterEach(() => server.close());

  const closed = (cause: string): string => `airbench_websockets_closed_total{path="/ws",cause="${cause}"}`;

  it('count the bytes for a slow reader, and its close', async () => {
    const slow = await listenTo(server.port, '/ws');
    slow.socket.pause();
    const large = JSON.stringify('x'.repeat(512 * 1024));
    const unsent = async (): Promise<number> =>
      (await figuresOf(server.port))['airbench_websocket_unsent_bytes'] ?? 0;
    expect(await unsent()).to.equal(0);
    while ((await unsent()) <= 1024 * 1024) connections[0]?.send(large);
    connections[0]?.send(large);
    slow.socket.removeAllListeners('message');
    slow.socket.resume();
    expect(await slow.closed).to.equal(1013);
    expect(await figuresOf(server.port)).to.include({ [closed('slow_reader')]: 1 });
  });

  it('count clients that left without a close', async () => {
    const silent = await listenTo(server.port, '/ws');
    silent.socket.pause();
    for (let beat = 0; beat < 3; beat++) time.advance(HEARTBEAT_MS);
    await expectClosed('missed_pongs');
    silent.socket.terminate();
  });

  it('count closes for a defect', async () => {
    const listener = await listenTo(server.port, '/ws');
    listener.socket.send('x');
    expect(await listener.closed).to.equal(1011);
    await expectClosed('defect');
  });

  it('count closes at the shutdown', async () => {
    const listener = await listenTo(server.port, '/ws');
    const over = server.close();
    expect(await listener.closed).to.equal(1001);
    await over;
    expect(await metrics.text()).to.include(`${closed('shutdown')} 1`);
  });

  /** The client may receive the close before the server counts it. */
  const expectClosed = async (cause: string): Promise<void> => {
    let figures = await figuresOf(server.port);
    while (figures['airbench_websockets{path="/ws"}'] !== 0) figures = await figuresOf(server.port);
    expect(figures).to.include({ [closed(cause)]: 1 });
  };

  it('give an id to bytes that are not a request, too', async () => {
    const received = await rawExchange(at(server.port), 'GARBAGE\r\n\r\n');
    expect(received).to.include('\r\nX-Request-Id: made-0\r\n');
    expect(rawBody(received)).to.include({ code: 'malformed_request', request_id: 'made-0' });
    const connect = await rawExchange(
      at(server.port),
      'CONNECT x:1 HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\n\r\n',
    );
    expect(rawBody(connect)).to.include({ code: 'malformed_request', request_id: 'mine' });
    expect(await figuresOf(server.port)).to.include({
      'airbench_http_errors_total{operation="other",code="malformed_request"}': 2,
    });
  });

  for (const [id, kind] of [
    ['', 'no id'],
    ['with space', 'an id with a space'],
    ['x'.repeat(129), 'an id that is too long'],
    ['a"b', 'an id with a quotation mark'],
  ] as const) {
    it(`make an id for a request with ${kind}`, async () => {
      const { headers } = await fetch(`http://127.0.0.1:${server.port}/metrics`, {
        headers: id === '' ? {} : { 'X-Request-Id': id },
      });
      expect(headers.get('x-request-id')).to.equal('made-0');
    });
  }

  it('answer an upgrade with the id of its request', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`, {
      headers: { 'X-Request-Id': 'A.b_c:d-1' },
    });
    const [response] = (await once(socket, 'upgrade')) as [{ headers: Record<string, string> }];
    expect(response.headers['x-request-id']).to.equal('A.b_c:d-1');
    socket.terminate();
  });

  it('name the request in the log, with the path alone of its URL', async () => {
    const headers = { 'X-Request-Id': 'mine' };
    await fetch(`http://127.0.0.1:${server.port}/nothing?q=secret`, { headers });
    await rawExchange(
      at(server.port),
      'GET http://x:secret@x/metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    await refusalOf(server.port, '/ws?detail=secret');
    const defective = await listenTo(server.port, '/ws?detail=full');
    defective.socket.send('secret');
    await defective.closed;
    await expectClosed('defect');
    expect(
      lines.map(({ request_id, path, status, msg }) => [request_id, path, status, msg]),
    ).to.include.deep.members([
      ['mine', '/nothing', 404, 'request'],
      ['made-0', '/metrics', 403, 'request'],
      ['made-1', '/ws', 400, 'request'],
      ['made-2', '/ws', 101, 'request'],
      ['made-2', undefined, undefined, 'a WebSocket message failed'],
      ['made-2', undefined, undefined, 'a WebSocket is closed'],
    ]);
    expect(JSON.stringify(lines)).not.to.include('secret');
  });
});
