/** The sample for nginx, asked as clients would. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { json as readAll } from 'node:stream/consumers';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { WebSocket } from 'ws';
import { Listener } from '../support/client.js';
import {
  BEHIND_NGINX,
  CLOCK,
  DICE,
  requireNginx,
  startNginx,
  stopNginx,
  type Nginx,
} from '../support/nginx.js';
import { endPrograms, Program } from '../support/program.js';

describe('Behind nginx, as its sample has it', function () {
  this.timeout(60_000);
  let nginx: Nginx;

  before(async function () {
    requireNginx(this);
    nginx = await startNginx(
      Program.rig(['--dice', '0', '--clocks', '0', '--sockets-per-address', '1', ...BEHIND_NGINX]),
    );
  });
  after(async () => {
    await stopNginx();
    endPrograms();
  });

  const to = (name: string): RequestOptions => ({
    host: '127.0.0.1',
    port: nginx.port,
    servername: name,
    ca: nginx.certificate,
    agent: false,
  });

  const get = async (name: string, path: string, headers: Readonly<Record<string, string>> = {}) => {
    const sent = httpsRequest({
      ...to(name),
      path,
      headers: { host: `${name}:${nginx.port}`, ...headers },
    }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, body: (await readAll(response)) as Record<string, unknown> };
  };

  /** The status of an upgrade, 101 with its listener. */
  const connect = async (name: string, from: string, origin = `https://${name}:${nginx.port}`) => {
    const socket = new WebSocket(`wss://${name}:${nginx.port}/ws?detail=full`, {
      ca: nginx.certificate,
      localAddress: from,
      origin,
      lookup: (_name, { all }, found) =>
        all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4),
    });
    const listener = new Listener(socket);
    socket.on('error', () => undefined);
    const status = await new Promise<number>((resolve) => {
      socket.on('open', () => resolve(101));
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    });
    return { status, socket, listener };
  };

  it('each server answers by its name, over TLS', async () => {
    expect((await get(DICE, '/health')).body).to.include.keys('sessions', 'listeners');
    expect(await get(DICE, '/api/sessions')).to.deep.equal({ status: 200, body: [] });
    expect(await get(CLOCK, '/api/devices')).to.deep.equal({ status: 200, body: [] });
  });

  it('a page of the server itself may ask it, by https alone', async () => {
    const own = await get(DICE, '/api/sessions', { origin: `https://${DICE}:${nginx.port}` });
    expect(own.status).to.equal(200);
    for (const origin of [
      `http://${DICE}:${nginx.port}`,
      `https://${CLOCK}:${nginx.port}`,
      'https://evil.example',
    ])
      expect((await get(DICE, '/api/sessions', { origin })).body['code'], origin).to.equal('origin_refused');
  });

  it('another name is refused, whatever a client forwards', async () => {
    for (const headers of [
      { host: 'evil.example' },
      { host: 'evil.example', 'x-forwarded-host': DICE },
      { host: 'evil.example', 'x-forwarded-for': '127.0.0.1' },
    ])
      expect((await get(DICE, '/health', headers)).body['code']).to.equal('host_refused');
  });

  it('WebSockets open, carry messages, and count for the address of their client', async () => {
    const one = await connect(CLOCK, '127.0.0.2');
    expect(one.status).to.equal(101);
    one.socket.send('{"id": 1}');
    expect(await one.listener.next()).to.include({ id: 1, code: 'invalid_input' });
    expect((await connect(CLOCK, '127.0.0.2')).status).to.equal(429);
    const other = await connect(CLOCK, '127.0.0.3');
    expect(other.status).to.equal(101);
    expect((await connect(CLOCK, '127.0.0.4', 'https://evil.example')).status).to.equal(403);
    for (const { socket } of [one, other]) socket.terminate();
  });
});
