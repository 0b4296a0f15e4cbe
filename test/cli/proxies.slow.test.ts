/** Clients behind the sample configurations of proxies. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text as readAll } from 'node:stream/consumers';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { Listener } from '../../simulators/testing/internal/listener.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import {
  BEHIND_PROXY,
  CLOCK,
  DICE,
  HOME,
  requireProxy,
  startCaddy,
  startHaproxy,
  startNginx,
  stopProxies,
  type Proxy,
} from '../support/proxies.js';

const startRig = (): Program =>
  Program.rig(['--dice', '0', '--clocks', '0', '--sockets-per-address', '1', ...BEHIND_PROXY]);

const get = async (
  { port, certificate }: Proxy,
  name: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
) => {
  const sent = httpsRequest({
    ...{ host: '127.0.0.1', port, servername: name, ca: certificate, agent: false, path },
    headers: { host: `${name}:${port}`, ...headers },
  }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = await readAll(response);
  return {
    status: response.statusCode,
    body: (body === '' ? {} : JSON.parse(body)) as Record<string, unknown>,
  };
};

/** The status of an upgrade, 101 on success, with its listener. */
const connect = async ({ port, certificate }: Proxy, name: string, from: string, origin?: string) => {
  const listener = new Listener(`wss://${name}:${port}/ws?detail=full`, {
    ca: certificate,
    localAddress: from,
    origin: origin ?? `https://${name}:${port}`,
    lookup: (_name, { all }, done) =>
      all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
  });
  const { socket } = listener;
  socket.on('error', () => undefined);
  const status = await new Promise<number>((resolve) => {
    socket.on('open', () => resolve(101));
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
  });
  return { status, socket, listener };
};

/** Expects one WebSocket for each address of a client, and refusals for pages of another origin. */
const expectSeparateClients = async (proxy: Proxy): Promise<void> => {
  const first = await connect(proxy, CLOCK, '127.0.0.2');
  expect(first.status).to.equal(101);
  first.socket.send('{"id": 1}');
  expect(await first.listener.next()).to.include({ id: 1, code: 'invalid_input' });
  expect((await connect(proxy, CLOCK, '127.0.0.2')).status).to.equal(429);
  const second = await connect(proxy, CLOCK, '127.0.0.3');
  expect(second.status).to.equal(101);
  expect((await connect(proxy, CLOCK, '127.0.0.4', 'https://evil.example')).status).to.equal(403);
  for (const { socket } of [first, second]) socket.terminate();
};

/** The answer to a request for an unknown host name: from our server, or from a proxy without such a site. */
const REFUSED = { code: 'host_refused' };
const NO_SITE = {};

for (const [title, program, start, refusal] of [
  ['nginx', 'nginx', startNginx, REFUSED],
  ['HAProxy', 'haproxy', startHaproxy, REFUSED],
  ['Caddy', 'caddy', startCaddy, NO_SITE],
] as const) {
  describe(`Behind ${title} with its sample configuration`, () => {
    let proxy: Proxy | undefined;
    const running = (): Proxy => {
      if (proxy === undefined) throw new Error(`${title} does not run`);
      return proxy;
    };

    before(async function () {
      requireProxy(this, program);
      proxy = await start(startRig());
    });
    after(async () => {
      await stopProxies();
      await endPrograms();
    });

    it('each server answers under its host name over TLS', async () => {
      expect((await get(running(), DICE, '/health')).body).to.include.keys('sessions', 'listeners');
      expect(await get(running(), DICE, '/api/sessions')).to.deep.equal({ status: 200, body: [] });
      expect(await get(running(), CLOCK, '/api/devices')).to.deep.equal({ status: 200, body: [] });
    });

    it('both servers answer under one host name, each at a path', async () => {
      expect(await get(running(), HOME, '/dice/api/sessions')).to.deep.equal({ status: 200, body: [] });
      expect(await get(running(), HOME, '/clock/api/devices')).to.deep.equal({ status: 200, body: [] });
    });

    it('only an https page of the server itself may send requests to it', async () => {
      const { port } = running();
      const { status } = await get(running(), DICE, '/api/sessions', { origin: `https://${DICE}:${port}` });
      expect(status).to.equal(200);
      for (const origin of [`http://${DICE}:${port}`, `https://${CLOCK}:${port}`, 'https://evil.example']) {
        const { body } = await get(running(), DICE, '/api/sessions', { origin });
        expect(body['code'], origin).to.equal('origin_refused');
      }
    });

    it('an unknown host name is refused, whatever a client forwards', async () => {
      for (const headers of [
        { host: 'evil.example' },
        { host: 'evil.example', 'x-forwarded-host': DICE },
        { host: 'evil.example', 'x-forwarded-for': '127.0.0.1' },
      ]) {
        const { body } = await get(running(), DICE, '/health', headers);
        expect('code' in body ? { code: body['code'] } : body).to.deep.equal(refusal);
      }
    });

    it('WebSockets open, carry messages, and count for the address of the client', () =>
      expectSeparateClients(running()));
  });
}

describe('Behind a proxy that forwards ports, and wss as the protocol of upgrades', () => {
  after(async () => {
    await stopProxies();
    await endPrograms();
  });

  it('a server identifies clients and pages', async function () {
    requireProxy(this, 'haproxy');
    const proxy = await startHaproxy(startRig(), {
      'set-header X-Forwarded-Proto https':
        'set-header X-Forwarded-Proto https\nhttp-request set-header X-Forwarded-Proto wss if { req.hdr(Upgrade) -m found }',
      'X-Forwarded-For %[src]': 'X-Forwarded-For %[src]:%[src_port]',
    });
    await expectSeparateClients(proxy);
    const origin = `https://${DICE}:${proxy.port}`;
    expect((await get(proxy, DICE, '/api/sessions', { origin })).status).to.equal(200);
  });
});
