import { once } from 'node:events';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import type { DeviceServer } from '../../src/server/device-server.js';
import { DEFAULT_PROTECTION } from '../../src/http/index.js';
import { at, request } from '../support/client.js';
import { RawConnection } from '../../simulators/testing/internal/raw-connection.js';
import { ClockClient } from '../../simulators/testing/internal/clock-client.js';
import { FakeRadio } from '../support/fake-radio.js';
import { requireDescriptors, requireLinux } from '../support/require.js';
import { openClockServer } from '../support/servers.js';

const IDLE = 1_000;
const IDLE_EACH = 100;
const BUSY = 50;
const SLOW = 20;
const HEADERS_MS = 1_000;
const REQUEST_MS = 2_000;
const TRICKLE_MS = 100;
/** The number of commands under way at a time from the client that never reads. */
const BATCH = 200;

const TRY_AGAIN_LATER = 1013;

describe('A crowd', () => {
  let server: DeviceServer;
  let sockets: WebSocket[];
  /** Resolves when the server closes a client that reads too slowly. */
  let tooSlow: Promise<void>;

  const start = async (): Promise<number> => {
    sockets = [];
    let close = (): void => undefined;
    tooSlow = new Promise((resolve) => (close = resolve));
    const write = (line: Buffer, _encoding: unknown, done: () => void): void => {
      if (line.includes('reads too slowly')) close();
      done();
    };
    server = await openClockServer({
      radio: new FakeRadio(),
      log: pino(new Writable({ write })),
      protection: { ...DEFAULT_PROTECTION, headersMs: HEADERS_MS, requestMs: REQUEST_MS },
    });
    return server.port;
  };

  const open = async (port: number, localAddress: string): Promise<WebSocket> => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { localAddress });
    sockets.push(socket);
    await once(socket, 'open');
    return socket;
  };

  const openMany = (port: number, count: number, localAddress: string): Promise<readonly WebSocket[]> =>
    Promise.all(Array.from({ length: count }, () => open(port, localAddress)));

  beforeEach(function () {
    requireLinux(this, 'other addresses of loopback');
    requireDescriptors(this, 3 * (IDLE + BUSY + SLOW));
  });

  afterEach(async () => {
    for (const socket of sockets) socket.terminate();
    await server.close();
  });

  it('of many clients loses only slow clients', async () => {
    const port = await start();
    const idle: WebSocket[] = [];
    for (let n = 0; n < IDLE / IDLE_EACH; n++)
      idle.push(...(await openMany(port, IDLE_EACH, `127.0.1.${n + 1}`)));
    const openBusy = () => ClockClient.open(`${at(port)}/ws`, { localAddress: '127.0.2.1' });
    const busy = await Promise.all(Array.from({ length: BUSY }, openBusy));
    sockets.push(...busy.map(({ socket }) => socket));
    const deaf = await open(port, '127.0.3.1');
    const ended = new Promise((resolve) => deaf.once('close', resolve));

    const over = new AbortController();
    const answers = busy.map(() => 0);
    const work = (async (): Promise<void> => {
      while (!over.signal.aborted) {
        for (const [n, client] of busy.entries()) {
          await client.fail({ type: 'read_alarms', address: '58:2D:34:00:00:01' });
          answers[n] = (answers[n] ?? 0) + 1;
        }
      }
    })();

    /** Sends `begin`, then one byte at a time until the server closes; resolves with the statuses and the time. */
    const trickle = async (
      begin: string,
    ): Promise<{ readonly statuses: readonly number[]; readonly ms: number }> => {
      const client = await RawConnection.open(at(port));
      const started = performance.now();
      client.write(begin);
      const drops = setInterval(() => client.write('x'), TRICKLE_MS);
      await client.closed;
      clearInterval(drops);
      return { statuses: client.statuses, ms: performance.now() - started };
    };
    const headers = 'GET /api/devices HTTP/1.1\r\nHost: localhost\r\nX-Name: ';
    const body = 'POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n';
    const slow = Array.from({ length: SLOW }, (_, n) => trickle(n % 2 === 0 ? headers : body));

    const command = JSON.stringify({ id: 1, command: { type: 'x' } });
    const silence = async (): Promise<void> => {
      deaf.pause();
      for (let closed = false; !closed;) {
        for (let n = 1; n < BATCH; n++) deaf.send(command);
        const sent = new Promise((resolve) => deaf.send(command, resolve));
        closed = await Promise.race([tooSlow.then(() => true), sent.then(() => false)]);
      }
    };
    await silence();
    for (const [n, { statuses, ms }] of (await Promise.all(slow)).entries()) {
      expect(statuses.at(-1)).to.equal(408);
      expect(ms).to.be.at.least(n % 2 === 0 ? HEADERS_MS : REQUEST_MS);
    }
    over.abort();
    await work;
    for (const count of answers) expect(count).to.be.above(0);

    deaf.resume();
    expect(await ended).to.equal(TRY_AGAIN_LATER);
    const pongs = idle.map((socket) => once(socket, 'pong'));
    for (const socket of idle) socket.ping();
    await Promise.all(pongs);
    // The client may receive the close before the server removes the listener.
    const listeners = async (): Promise<unknown> =>
      ((await request(port, '/health')).body as { readonly listeners: unknown }).listeners;
    while ((await listeners()) === IDLE + BUSY + 1);
    expect(await listeners()).to.equal(IDLE + BUSY);
  });
});
