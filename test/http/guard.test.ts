import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { ListenerOptions } from '../../simulators/testing/internal/listener.js';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { tokenAccess, type ChangeableAccess } from '../../src/access/access.js';
import { json } from '../../src/codecs/index.js';
import { endpoint } from '../../src/contract/index.js';
import { openGuard } from '../../src/http/guard.js';
import { DEFAULT_PROTECTION, type HttpServer, type Protection } from '../../src/http/index.js';
import { at, listenTo, rawFrame, rawUpgrade, refusalOf, request } from '../support/client.js';
import { RawConnection, rawBody, rawExchange } from '../../simulators/testing/internal/raw-connection.js';
import { routeOf, socketOf } from '../support/routes.js';
import { startServer } from '../support/server.js';
import { steppedTime } from '../support/stepped-time.js';

/** The opcode of a frame. */
const CLOSE = 8;

const HALL = { name: 'hall', token: 'hall-token-0123456789', scope: 'full' } as const;
const WALL = { name: 'wall', token: 'wall-token-0123456789', scope: 'read' } as const;

const row = { path: '/things', summary: '', response: json() } as const;

const startGuarded = (
  protection: Partial<Protection>,
  open: Parameters<typeof socketOf>[0] = () => ({ message: () => undefined, closed: () => undefined }),
): Promise<HttpServer> =>
  startServer({
    time: steppedTime(),
    routes: [
      ...routeOf(endpoint({ ...row, method: 'GET' }), () => TE.right({})),
      ...routeOf(endpoint({ ...row, method: 'POST', body: json() }), () => TE.right({})),
    ],
    sockets: [socketOf(open)],
    protection: { ...DEFAULT_PROTECTION, ...protection },
  });

/** The answer to a request with these header lines. */
const answerTo = async (server: HttpServer, ...lines: readonly string[]): Promise<unknown> =>
  rawBody(
    await rawExchange(
      at(server.port),
      `GET /things HTTP/1.1\r\n${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`,
    ),
  );

const refusal = (code: string, error: string) => ({ code, error });

describe('A server with tokens', () => {
  let access: ChangeableAccess;
  let server: HttpServer;
  let heard: string[];
  let onMessage: () => void;
  let closed: number;
  beforeEach(async () => {
    access = tokenAccess([HALL, WALL]);
    heard = [];
    closed = 0;
    onMessage = () => undefined;
    server = await startGuarded({ access }, () => ({
      message: (text) => {
        heard.push(text);
        onMessage();
      },
      closed: () => (closed += 1),
    }));
  });
  afterEach(() => server.close());

  const statusOf = async (headers: Readonly<Record<string, string>>, query = ''): Promise<number> =>
    (await request(server.port, `/things${query}`, { headers })).status;

  it('takes one over REST in the header Authorization alone', async () => {
    expect(await statusOf({ authorization: `Bearer ${HALL.token}` })).to.equal(200);
    expect(await statusOf({ authorization: `bearer  ${WALL.token} ` })).to.equal(200);
    for (const authorization of [HALL.token, `Basic ${HALL.token}`, 'Bearer', `Bearer ${HALL.token} x`])
      expect(await statusOf({ authorization }), authorization).to.equal(401);
    expect(await statusOf({}, `?access_token=${HALL.token}`)).to.equal(401);
  });

  const bearer = `bearer.${HALL.token}`;
  const upgrades: readonly (readonly [
    where: string,
    path: string,
    upgrade: ListenerOptions,
    protocol: string,
  ])[] = [
    ['in the header Authorization', '/ws', { headers: { authorization: `Bearer ${HALL.token}` } }, ''],
    ['as a subprotocol', '/ws', { protocols: [bearer] }, bearer],
    ['as a subprotocol beside another', '/ws', { protocols: [bearer, 'dice'] }, 'dice'],
    ['as a subprotocol behind another', '/ws', { protocols: ['dice', bearer] }, 'dice'],
    ['as access_token in the query', `/ws?detail=full&access_token=${HALL.token}`, {}, ''],
  ];
  for (const [where, path, upgrade, protocol] of upgrades) {
    it(`takes one for a WebSocket ${where}`, async () => {
      const { socket } = await listenTo(server.port, path, upgrade);
      expect(socket.protocol).to.equal(protocol);
      socket.terminate();
    });
  }

  for (const [what, path, upgrade] of [
    ['no token', '/ws', {}],
    ['another subprotocol', '/ws', { protocols: ['dice'] }],
    ['an unknown token', '/ws', { protocols: ['bearer.nobody-s-token-at-all'] }],
    ['an empty token', '/ws?access_token=', {}],
    [
      'a wrong header beside a right query',
      `/ws?access_token=${HALL.token}`,
      { headers: { authorization: 'x' } },
    ],
  ] as const) {
    it(`refuses a WebSocket with ${what}`, async () => {
      const { status, headers, body } = await refusalOf(server.port, path, upgrade);
      expect([status, (body as { code: string }).code]).to.deep.equal([401, 'unauthorized']);
      expect(headers.get('www-authenticate')).to.equal('Bearer realm="airbench"');
    });
  }

  describe('A server whose tokens are revoked', () => {
    const authorization = `Authorization: Bearer ${HALL.token}`;

    it('closes their WebSockets with 1008, and no others', async () => {
      const hall = await listenTo(server.port, '/ws', { protocols: [bearer] });
      const wall = await listenTo(server.port, `/ws?access_token=${WALL.token}`);
      access.replace([WALL]);
      expect(await hall.closed).to.equal(1008);
      wall.socket.ping();
      await once(wall.socket, 'pong');
      access.replace([{ ...WALL, scope: 'full' }]);
      expect(await wall.closed).to.equal(1008);
    });

    it('runs no further commands of their WebSockets that do not close', async () => {
      const client = await RawConnection.open(at(server.port));
      const early = new Promise<void>((resolve) => (onMessage = resolve));
      client.write(rawUpgrade('/ws', authorization), rawFrame('early'));
      await early;
      access.replace([WALL]);
      expect(closed).to.equal(1);
      client.write(rawFrame('late'), rawFrame('', CLOSE));
      await client.closed;
      expect(heard).to.deep.equal(['early']);
      expect(closed).to.equal(1);
    });

    it('runs nothing for a body that comes later', async () => {
      const client = await RawConnection.open(at(server.port));
      const headers = `${authorization}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n`;
      client.write(`POST /things HTTP/1.1\r\nHost: localhost\r\n${headers}Expect: 100-continue\r\n\r\n`);
      await client.until('100 Continue');
      access.replace([WALL]);
      client.write('{}');
      await client.until('"unauthorized"');
      expect(client.statuses).to.deep.equal([100, 401]);
      client.socket.destroy();
    });
  });
});

describe('A server', () => {
  const HOST = refusal('host_refused', 'this server is not called evil.example: see --allow-host');
  const ORIGIN = refusal(
    'origin_refused',
    'pages of https://evil.example may not use this server: see --allow-origin',
  );
  let server: HttpServer;
  const start = async (...given: Parameters<typeof startGuarded>): Promise<void> => {
    server = await startGuarded(...given);
  };
  afterEach(() => server.close());

  it('answers under its own names, and to pages of allowed origins', async () => {
    await start({ hosts: ['dice.example'], origins: ['https://dashboard.example'] });
    for (const host of ['localhost', '127.0.0.1:3000', '[::1]', 'dice.example:8080', 'pi.local'])
      expect(await answerTo(server, `Host: ${host}`), host).to.deep.equal({});
    for (const origin of ['https://dashboard.example', 'http://localhost:5173', 'http://dice.example'])
      expect(await answerTo(server, 'Host: dice.example', `Origin: ${origin}`), origin).to.deep.equal({});
    expect(await answerTo(server, 'Host: evil.example')).to.include(HOST);
    expect(await answerTo(server, 'Host: localhost', 'Origin: https://evil.example')).to.include(ORIGIN);
    expect(await answerTo(server, 'Host: dice.example', 'Origin: null')).to.include(
      refusal('origin_refused', 'pages of null may not use this server: see --allow-origin'),
    );
  });

  it('refuses the upgrade of a page in the same way', async () => {
    await start({});
    const refusedFor = async (headers: Readonly<Record<string, string>>) => {
      const { status, body } = await refusalOf(server.port, '/ws', { headers });
      return [status, body];
    };
    expect(await refusedFor({ host: 'evil.example' })).to.deep.equal([403, HOST]);
    expect(await refusedFor({ origin: 'https://evil.example' })).to.deep.equal([403, ORIGIN]);
  });

  it('lets allowed pages read the answers, errors too, and answers the preflight of a browser', async () => {
    const origin = 'https://dashboard.example';
    await start({ origins: [origin], access: tokenAccess([HALL]) });
    const preflight = { origin, 'access-control-request-method': 'PUT' };
    const before = await request(server.port, '/things', { method: 'OPTIONS', headers: preflight });
    expect(before.status).to.equal(204);
    expect(before.headers.get('access-control-allow-origin')).to.equal(origin);
    expect(before.headers.get('access-control-allow-headers')).to.match(/\bAuthorization\b/);
    const unauthorized = await request(server.port, '/things', { headers: { origin } });
    expect(unauthorized.status).to.equal(401);
    expect(unauthorized.headers.get('access-control-allow-origin')).to.equal(origin);
    const refused = await request(server.port, '/things', { headers: { origin: 'https://evil.example' } });
    expect(refused.status).to.equal(403);
    expect(refused.headers.has('access-control-allow-origin')).to.equal(false);
  });

  const CHAIN = ['loopback', '10.0.0.0/8'];
  const FORWARDED = [
    'Host: 127.0.0.1:3000',
    'Origin: https://dice.example',
    'X-Forwarded-Proto: https',
    'X-Forwarded-Host: dice.example',
  ];

  it('believes the forwarded headers of proxies that it trusts alone', async () => {
    await start({ hosts: ['dice.example'], proxies: ['10.0.0.0/8'] });
    expect(await answerTo(server, ...FORWARDED)).to.include({ code: 'origin_refused' });
    await server.close();
    await start({ hosts: ['dice.example'], proxies: ['loopback'] });
    expect(await answerTo(server, ...FORWARDED)).to.deep.equal({});
    expect(await answerTo(server, 'Host: 127.0.0.1', 'X-Forwarded-Host: evil.example')).to.include(HOST);
  });

  it('takes wss as https and ws as http in the protocol that a proxy forwards', async () => {
    await start({ hosts: ['dice.example'], proxies: ['loopback'] });
    const asked = (protocol: string, origin: string) =>
      answerTo(server, 'Host: dice.example', `X-Forwarded-Proto: ${protocol}`, `Origin: ${origin}`);
    for (const protocol of ['wss', 'https', 'HTTPS', 'http, wss'])
      expect(await asked(protocol, 'https://dice.example'), protocol).to.deep.equal({});
    for (const protocol of ['ws', 'http'])
      expect(await asked(protocol, 'http://dice.example'), protocol).to.deep.equal({});
    expect(await asked('ws', 'https://dice.example')).to.include({ code: 'origin_refused' });
  });

  const TWO = '192.0.2.1, 10.0.0.7';
  for (const [title, proxies, forwardedFor, protocols, hosts, isAccepted] of [
    ['of its one proxy', ['loopback'], '10.0.0.7', 'http, https', 'evil.example, dice.example', true],
    ['of the farthest proxy', CHAIN, TWO, 'https, http', 'dice.example, evil.example', true],
    ['of proxies, not of the client', CHAIN, '10.0.0.7', 'https, http, http', 'dice.example, a, b', false],
    ['of the only proxy that writes one', CHAIN, TWO, 'https', 'dice.example', true],
  ] as const)
    it(`takes the protocol and the host ${title}`, async () => {
      await start({ hosts: ['dice.example'], proxies });
      const answer = await answerTo(
        server,
        ...['Host: 127.0.0.1', 'Origin: https://dice.example', `X-Forwarded-For: ${forwardedFor}`],
        ...[`X-Forwarded-Proto: ${protocols}`, `X-Forwarded-Host: ${hosts}`],
      );
      if (isAccepted) expect(answer).to.deep.equal({});
      else expect(answer).to.have.property('code', 'host_refused');
    });

  it('refuses a forwarded protocol other than HTTP and WebSockets, and a page without an origin with it', async () => {
    await start({ proxies: ['loopback'] });
    for (const protocol of ['foo', 'file', 'https://'])
      expect(
        await answerTo(server, 'Host: localhost', `X-Forwarded-Proto: ${protocol}`, 'Origin: null'),
      ).to.include(
        refusal(
          'malformed_request',
          `X-Forwarded-Proto must be http, https, ws or wss, got ${JSON.stringify(protocol)}`,
        ),
      );
  });

  it('refuses a rebinding page on the machine of its proxy, whatever that forges', async () => {
    await start({ proxies: ['loopback'] });
    expect(await answerTo(server, 'Host: evil.example', 'X-Forwarded-Host: localhost')).to.include(HOST);
  });

  it('knows a client by the address that the last trusted proxy forwards', async () => {
    const addresses: string[] = [];
    const headers = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7, 10.1.2.3' };
    const connect = async (proxies: readonly string[]): Promise<void> => {
      await server.close();
      await start({ proxies }, ({ client }) => {
        addresses.push(client.address);
        return { message: () => undefined, closed: () => undefined };
      });
      (await listenTo(server.port, '/ws', { headers })).socket.terminate();
    };
    await start({});
    for (const proxies of [[], ['loopback'], CHAIN]) await connect(proxies);
    headers['x-forwarded-for'] = '203.0.113.9:4711, [2001:db8::7]:4712, 10.1.2.3:4713';
    await connect(CHAIN);
    expect(addresses).to.deep.equal(['127.0.0.1', '10.1.2.3', '198.51.100.7', '2001:db8::7']);
  });

  it('identifies a client that has gone without an address', async () => {
    await start({});
    const guard = openGuard({ ...DEFAULT_PROTECTION, proxies: ['loopback'] });
    const gone = new IncomingMessage(new Socket());
    expect(guard.checkOrigin(gone)).to.deep.equal(E.right(undefined));
    expect(guard.identify(gone).address).to.equal('');
  });
});
