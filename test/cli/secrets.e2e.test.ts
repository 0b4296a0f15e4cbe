import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { WebSocket } from 'ws';
import { at } from '../support/client.js';
import { ClockClient } from '../../simulators/testing/internal/clock-client.js';
import { HttpClient } from '../../simulators/testing/internal/http-client.js';
import { rawExchange } from '../../simulators/testing/internal/raw-connection.js';
import { newFolder } from '../support/folders.js';
import { Program, endPrograms } from '../../simulators/testing/internal/program.js';
import { requireUnix } from '../support/require.js';

const CLOCK = '58:2D:34:00:00:01';
const DIE = 'D1:CE:00:00:00:01';

const TOKEN = 'right-token-3f9a0c51';
const IN_FILE = 'token-of-a-file-5d20b7e9';
const WRONG = 'wrong-token-77b2e6d4';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Sends `token` in every place where a client can put one. */
const sendEverywhere = async (url: string, operation: string, token: string): Promise<void> => {
  const port = Number(new URL(url).port);
  const bearer = { Authorization: `Bearer ${token}` };
  const bodies = [
    JSON.stringify({ address: token, session_id: token, dice_type: token, verbose: token }),
    JSON.stringify({ [token]: token }),
    JSON.stringify(token),
    `{"token":"${token}`,
    token,
  ];
  for (const headers of [
    bearer,
    { Authorization: token },
    { Authorization: `Basic ${token}` },
    { Cookie: token },
  ]) {
    await fetch(`${url}/health`, { headers });
    await fetch(`${url}${operation}`, { headers });
  }
  for (const body of bodies) {
    for (const path of [operation, '/log', '/nothing']) {
      for (const method of ['POST', 'PUT']) {
        await fetch(url + path, { method, headers: { ...JSON_TYPE, ...bearer }, body });
      }
    }
    await fetch(`${url}/log`, {
      method: 'PUT',
      headers: { 'Content-Type': `text/${token}`, ...bearer },
      body,
    });
  }
  await fetch(`${url}${operation}?access_token=${token}&duration_secs=${token}`);
  await fetch(`${url}/nothing?access_token=${token}`);
  await rawExchange(
    at(port),
    `GET http://x:${token}@localhost/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
  );
  await rawExchange(
    at(port),
    `GET /health HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: "${token}"\r\nConnection: close\r\n\r\n`,
  );
  await rawExchange(at(port), `GET /health HTTP/1.1\r\n${token}\r\n\r\n`);
  await rawExchange(at(port), `CONNECT ${token}:1 HTTP/1.1\r\nHost: localhost\r\n\r\n`);

  const offers: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>])[] = [
    [`/ws?access_token=${token}`, [], {}],
    [`/ws?detail=${token}&access_token=${token}`, [], {}],
    [`/nothing?access_token=${token}`, [], {}],
    ['/ws', [`bearer.${token}`], {}],
    ['/ws', ['airbench', `bearer.${token}`], {}],
    ['/ws', [], bearer],
  ];
  for (const [path, protocols, headers] of offers) {
    const socket = new WebSocket(url.replace('http', 'ws') + path, [...protocols], { headers });
    socket.on('error', () => undefined);
    socket.on('open', () => {
      for (const body of bodies) socket.send(body);
      socket.send(JSON.stringify({ id: 1, command: { type: token, address: token } }));
      socket.close(1000, token);
    });
    await new Promise((resolve) => socket.on('close', resolve));
  }
};

/** Whether a log shows a secret: as text, base64, decimal numbers, or hex digits in any groups and either order of bytes. */
const shows = (log: string, secret: Buffer): boolean => {
  const digits = log.toLowerCase().replace(/[^0-9a-f]/g, '');
  return (
    [secret.toString('latin1'), secret.toString('base64'), [...secret].join(',')].some((text) =>
      log.toLowerCase().includes(text.toLowerCase()),
    ) || [secret, Buffer.from(secret).reverse()].some((bytes) => digits.includes(bytes.toString('hex')))
  );
};

describe('The log at verbosity 3', () => {
  afterEach(endPrograms);

  it('has neither tokens of clients, wherever they are sent, nor tokens of clocks', async function () {
    requireUnix(this, 'signals to end a server by');
    const air = Program.air(['--dice', '1', '--clocks', '1', '--pace', 'fast']);
    const hci = await air.url('virtual radio');
    const folder = newFolder();
    const verbose = ['--verbose', '3'];
    const env = { AIRBENCH_TOKEN: TOKEN };
    const file = join(newFolder(), 'tokens.json');
    writeFileSync(file, JSON.stringify([{ name: 'tablet', token: IN_FILE, scope: 'full' }]), { mode: 0o600 });
    const start = (args: readonly string[]): Program =>
      Program.airbench([...args, '--address', '127.0.0.1', '--port', '0', ...verbose], { env });
    const proxy = start(['proxy', '--hci', hci]);
    const proxyUrl = await proxy.url('proxy');

    const logs: string[] = [];
    for (const [name, operation, place] of [
      ['dice', '/api/led', ['--hci', hci]],
      // Connects its clock twice: first to bind the clock, then with the token of the bound clock.
      ['clock', '/api/devices', ['--hci', hci, '--data-dir', folder]],
      ['clock', '/api/devices', ['--proxy', proxyUrl, '--data-dir', folder]],
    ] as const) {
      const server = start([name, '--token-file', file, ...place]);
      const url = await server.url(`${name} server`);
      for (const token of [TOKEN, IN_FILE, WRONG]) await sendEverywhere(url, operation, token);
      await useDevice(name, url);
      const { status, stderr } = await server.signal('SIGTERM');
      logs.push(stderr);
      expect([name, status]).to.deep.equal([name, 0]);
      expect(stderr, name)
        .to.include('"msg":"request"')
        .and.to.include('"status":401')
        .and.to.include('"path":"/ws"');
      expect(stderr, name).to.include(name === 'dice' ? '"msg":"to a die"' : '"msg":"to a clock"');
      const isThroughProxy = place[0] === '--proxy';
      expect(stderr, name).to.include(isThroughProxy ? '"message":"WriteRequest"' : '"msg":"HCI"');
      expect(stderr, name).to.include('"operation":"write"').and.to.include('"operation":"notify"');
      expect(stderr.includes('[masked]'), name).to.equal(name === 'clock');
    }
    logs.push((await proxy.signal('SIGTERM')).stderr);
    expect(logs.at(-1)).to.include('"msg":"HCI"').and.to.include('"message":"WriteRequest"');
    const secrets = [...[TOKEN, IN_FILE, WRONG].map((text) => Buffer.from(text)), ...clockTokens(folder)];
    expect(secrets).to.have.length.above(3);
    for (const [index, log] of logs.entries())
      for (const secret of secrets)
        expect(shows(log, secret), `${index}: ${secret.toString('hex')}`).to.equal(false);
    await air.signal('SIGTERM');
  });

  /** Connects the device of a server, so that the server logs all of its packets. */
  const useDevice = async (name: 'dice' | 'clock', url: string): Promise<void> => {
    if (name === 'dice') {
      const client = new HttpClient(url, { headers: { authorization: `Bearer ${TOKEN}` } });
      expect((await client.post('/api/connect', { address: DIE })).status).to.equal(200);
      return;
    }
    const client = await ClockClient.open(`${url}/ws?access_token=${TOKEN}`);
    for (const type of ['connect', 'disconnect', 'connect']) await client.succeed({ type, address: CLOCK });
    client.socket.close();
  };

  /** All tokens in the store. */
  const clockTokens = (folder: string): readonly Buffer[] =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .flatMap(({ name }) => readFileSync(join(folder, name), 'utf8').match(/\b[0-9a-f]{32}\b/gi) ?? [])
      .map((hex) => Buffer.from(hex, 'hex'));
});
