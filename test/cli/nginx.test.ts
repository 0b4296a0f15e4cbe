/** The sample for nginx, with its names, and other ports and files: the nginx of the system in front of both servers. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { json as readAll } from 'node:stream/consumers';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { WebSocket } from 'ws';
import { Listener } from '../support/client.js';
import { newFolder } from '../support/folders.js';
import { endPrograms, Program } from '../support/program.js';
import { requireProgram } from '../support/require.js';

const SAMPLE = readFileSync('docs/production/nginx.conf', 'utf8');

const DICE = 'dice.example';
const CLOCK = 'clock.example';

/** One that is free now. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** The text with each of these in it replaced, each of which must be there. */
const replaced = (text: string, changes: Readonly<Record<string, string>>): string =>
  Object.entries(changes).reduce((before, [from, to]) => {
    expect(before).to.include(from);
    return before.replaceAll(from, to);
  }, text);

/** What a configuration has around the sample, so that nginx keeps to a folder. */
const around = (folder: string, sample: string): string => `
user ${userInfo().username};
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr notice;
events {}
http {
  access_log off;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
${sample}
}
`;

describe('Behind nginx, as its sample has it', function () {
  this.timeout(60_000);
  let port: number;
  let certificate: Buffer;
  let stopNginx: (() => Promise<unknown>) | undefined;

  before(async function () {
    requireProgram(this, 'nginx');
    requireProgram(this, 'openssl');
    const folder = newFolder();
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const made = spawnSync('openssl', [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...['-subj', `/CN=${DICE}`, '-addext', `subjectAltName=DNS:${DICE},DNS:${CLOCK}`],
      ...['-keyout', key, '-out', cert],
    ]);
    expect(made.status, made.stderr.toString()).to.equal(0);
    certificate = readFileSync(cert);

    const rig = Program.rig([
      ...['--dice', '0', '--clocks', '0', '--sockets-per-address', '1'],
      ...['--trust-proxy', 'loopback', '--allow-host', `${DICE},${CLOCK}`],
    ]);
    const placeOf = async (name: string): Promise<string> => `127.0.0.1:${new URL(await rig.url(name)).port}`;
    port = await freePort();
    const config = join(folder, 'nginx.conf');
    writeFileSync(
      config,
      around(
        folder,
        replaced(SAMPLE, {
          'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
          '127.0.0.1:3000': await placeOf('dice server'),
          '127.0.0.1:3001': await placeOf('clock server'),
          '/etc/ssl/certs/airbench.pem': cert,
          '/etc/ssl/private/airbench.key': key,
        }),
      ),
    );
    const args = ['-p', folder, '-c', config, '-e', 'stderr', '-g', 'daemon off;'];
    const nginx = Program.of(spawn('nginx', args, { stdio: ['ignore', 'pipe', 'pipe'] }));
    await nginx.logged(['start worker process ']);
    stopNginx = () => nginx.signal('SIGTERM');
  });
  after(async () => {
    await stopNginx?.();
    endPrograms();
  });

  const to = (name: string): RequestOptions => ({
    host: '127.0.0.1',
    port,
    servername: name,
    ca: certificate,
    agent: false,
  });

  const get = async (name: string, path: string, headers: Readonly<Record<string, string>> = {}) => {
    const sent = httpsRequest({ ...to(name), path, headers: { host: `${name}:${port}`, ...headers } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, body: (await readAll(response)) as Record<string, unknown> };
  };

  /** The status of an upgrade, 101 with its listener. */
  const connect = async (name: string, from: string, origin = `https://${name}:${port}`) => {
    const socket = new WebSocket(`wss://${name}:${port}/ws?detail=full`, {
      ca: certificate,
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
    const own = await get(DICE, '/api/sessions', { origin: `https://${DICE}:${port}` });
    expect(own.status).to.equal(200);
    for (const origin of [`http://${DICE}:${port}`, `https://${CLOCK}:${port}`, 'https://evil.example'])
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
