import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { json, text } from '../../src/codecs/index.js';
import { endpoint } from '../../src/contract/index.js';
import type { HttpServer, Route } from '../../src/http/index.js';
import { shuttingDown } from '../../src/operations/index.js';
import { wait } from '../../src/async/wait.js';
import { at, rawFrame, rawGet, rawUpgrade, request, withoutId } from '../support/client.js';
import { RawConnection, rawBody } from '../../simulators/testing/internal/raw-connection.js';
import { routeOf, socketOf } from '../support/routes.js';
import { startServer } from '../support/server.js';
import { steppedTime, type SteppedTime } from '../support/stepped-time.js';

const otherUpgrade = (path: string): string => rawGet(path, 'Connection: Upgrade', 'Upgrade: h2c');

describe('a connection', () => {
  let time: SteppedTime;
  let server: HttpServer;
  let ran: string[];
  let messages: string[];
  let onMessage: () => void;
  /** The waits under way, each with what ends it. */
  let waits: { readonly signal: AbortSignal; readonly settle: (value: Json) => void }[];
  let began: () => void;

  let stick: () => void;
  let stuck: Promise<void>;

  const row = { method: 'GET', summary: '', response: json() } as const;

  const routes: readonly Route[] = [
    ...routeOf(endpoint({ ...row, path: '/stuck' }), () => () => {
      stick();
      return new Promise(() => undefined);
    }),
    ...routeOf(endpoint({ ...row, path: '/health' }), () => TE.right('healthy')),
    ...routeOf(
      endpoint({ ...row, method: 'POST', path: '/jobs/:id', params: { id: text }, body: json() }),
      ({ params: { id } }) => {
        ran.push(id);
        return TE.right({ id });
      },
    ),
    ...routeOf(endpoint({ ...row, path: '/wait' }), (_given, { signal }) =>
      pipe(
        wait<Json>({ time, ms: null, signal }, (settle) => {
          waits.push({ signal, settle });
          began();
          return () => undefined;
        }),
        TE.mapLeft(() => shuttingDown),
      ),
    ),
  ];

  beforeEach(async () => {
    time = steppedTime();
    ran = [];
    messages = [];
    onMessage = () => undefined;
    waits = [];
    began = () => undefined;
    stuck = new Promise((resolve) => (stick = resolve));
    server = await startServer({
      routes,
      sockets: [
        socketOf(() => ({
          message: (received) => {
            messages.push(received);
            onMessage();
          },
          closed: () => undefined,
        })),
      ],
      time,
    });
  });

  // Nothing that is left over may keep a server from its end.
  afterEach(async () => {
    await server.close();
    expect(time.pending).to.equal(0);
  });

  const open = () => RawConnection.open(at(server.port));

  const waiting = async (count: number): Promise<void> => {
    while (waits.length < count) await new Promise<void>((resolve) => (began = resolve));
  };

  const givenUp = async (): Promise<void> => {
    for (const { signal } of waits) if (!signal.aborted) await once(signal, 'abort');
  };

  const packed = (id: string): string => {
    const body = gzipSync(JSON.stringify({ padding: 'x'.repeat(60_000) }));
    const headers = `Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}`;
    return `POST /jobs/${id} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n${body.toString('latin1')}`;
  };

  describe('whose client has gone', () => {
    for (const [how, leave] of [
      ['reset', (client: RawConnection) => client.socket.resetAndDestroy()],
      ['ended', (client: RawConnection) => client.socket.destroy()],
    ] as const) {
      it(`runs no request whose body is still unpacked, when it is ${how}`, async () => {
        for (let n = 0; n < 5; n++) {
          const client = await open();
          client.write(packed('gone'));
          leave(client);
        }
        const stays = await open();
        for (let n = 1; n <= 5; n++) {
          stays.write(packed(`stays${n}`));
          await stays.until(`{"id":"stays${n}"}`);
        }
        stays.socket.destroy();
        expect(ran).to.deep.equal(['stays1', 'stays2', 'stays3', 'stays4', 'stays5']);
      });
    }

    it('aborts all its requests, also those with a later response', async () => {
      const client = await open();
      client.write(rawGet('/wait').repeat(20));
      await waiting(20);
      client.socket.destroy();
      await givenUp();
    });

    it('aborts what it waits for before an upgrade', async () => {
      const client = await open();
      client.write(rawGet('/wait'), rawUpgrade('/ws'), rawFrame('early'));
      await waiting(1);
      client.socket.destroy();
      await givenUp();
      expect(messages).to.deep.equal([]);
    });
  });

  it('warns of no leak, however many requests are sent on it', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warned);
    const client = await open();
    client.write(rawGet('/wait').repeat(20));
    await waiting(20);
    for (const { settle } of waits) settle('waited');
    for (let n = 0; n < 20; n++) client.write(rawGet('/health'));
    client.write(otherUpgrade('/health'));
    await client.closed;
    process.off('warning', warned);
    expect(client.statuses).to.deep.equal(Array(41).fill(200));
    expect(warnings).to.deep.equal([]);
  });

  describe('with an upgrade behind another request', () => {
    /** Writes, waits for the one that waits, and lets some other request pass before it is answered. */
    const answeredLate = async (...bytes: readonly string[]): Promise<RawConnection> => {
      const client = await open();
      client.write(rawGet('/wait'), ...bytes);
      await waiting(1);
      await request(server.port, '/health');
      expect(client.received).to.equal('');
      waits[0]?.settle('waited');
      return client;
    };

    it('ignores the upgrade, responds in order and ends the connection', async () => {
      const client = await answeredLate(rawGet('/health'), rawUpgrade('/ws'));
      await client.closed;
      expect(client.statuses).to.deep.equal([200, 200, 426]);
      expect(client.received).to.contain('"code":"upgrade_required"');
      expect(messages).to.deep.equal([]);
    });

    it('opens the WebSocket immediately when all responses are sent', async () => {
      const client = await open();
      client.write(rawGet('/health'));
      await client.until('"healthy"');
      const one = new Promise<void>((resolve) => (onMessage = resolve));
      client.write(rawUpgrade('/ws'), rawFrame('one'));
      await one;
      await client.until(' 101 ');
      expect(client.statuses).to.deep.equal([200, 101]);
      client.socket.destroy();
    });

    it('responds to an upgrade to another protocol in order, and ends the connection after it', async () => {
      const client = await answeredLate(rawGet('/health'), otherUpgrade('/nothing'), rawGet('/health'));
      await client.closed;
      expect(client.statuses).to.deep.equal([200, 200, 404]);
    });

    it('drops it with a request that does not end with the server', async () => {
      const client = await open();
      client.write(rawGet('/stuck'), rawUpgrade('/ws'));
      await stuck;
      const over = server.close();
      await time.pass(5_000);
      await time.pass(500);
      await Promise.all([over, client.closed]);
      expect(client.received).to.equal('');
    });
  });

  it('responds to a CONNECT that asks for a WebSocket', async () => {
    const client = await open();
    client.write(rawUpgrade('/ws').replace('GET', 'CONNECT'));
    await client.closed;
    expect(client.statuses).to.deep.equal([400]);
  });

  it('responds to CONNECT in order, and is closed', async () => {
    const client = await open();
    client.write(rawGet('/wait'), 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n');
    await waiting(1);
    waits[0]?.settle('waited');
    await client.closed;
    expect(client.statuses).to.deep.equal([200, 400]);
    expect(withoutId(rawBody(client.received.slice(client.received.indexOf('"waited"'))))).to.deep.equal({
      error: 'this server is no proxy: it does not answer CONNECT',
      code: 'malformed_request',
    });
  });

  it('refuses what is not HTTP after the responses before it', async () => {
    const client = await open();
    client.write(rawGet('/wait'), 'GARBAGE\r\n\r\n');
    await waiting(1);
    await request(server.port, '/health');
    waits[0]?.settle('waited');
    await client.closed;
    expect(client.statuses).to.deep.equal([200, 400]);
  });

  it('refuses a body that is not HTTP immediately', async () => {
    const client = await open();
    const headers = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
    client.write(`POST /jobs/x HTTP/1.1\r\nHost: localhost\r\n${headers}\r\nno length\r\n`);
    await client.closed;
    expect(client.statuses).to.deep.equal([400]);
    expect(ran).to.deep.equal([]);
  });
});
