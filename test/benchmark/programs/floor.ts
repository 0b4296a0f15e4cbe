/** The smallest programs that a good engineer would write by hand for the same work: `floor NAME ARGUMENT…`. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { hostname } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import cors from 'cors';
import express, { type RequestHandler } from 'express';
import expressWs from 'express-ws';
import helmet from 'helmet';
import { connectAsync } from 'mqtt';
import { pino } from 'pino';
import { Counter, Histogram } from 'prom-client';
import { WebSocketServer } from 'ws';
import { connectAll, hostSocket, openBareNoble, subscribe, type Characteristics } from './hosts.js';
import { serve } from './serve.js';

const NOTIFY = '6e400003b5a3f393e0a9e50e24dcca9e';
const ROLLING = 'R'.charCodeAt(0);
const TOKEN = Buffer.alloc(16, 0x5a);
const SET_BRIGHTNESS = 0x03;

const AT = { host: '127.0.0.1', port: 0 };

const portOf = async (server: Server | WebSocketServer): Promise<number> => {
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** A handler on noble that sends the notifications itself: `die HCI-PORT ADDRESS`. */
const die = async (hciPort?: string, address = ''): Promise<void> => {
  const sockets = new WebSocketServer(AT);
  const port = await portOf(sockets);
  const connected = await connectAll(await openBareNoble(hostSocket(hciPort)), [address]);
  await subscribe(connected.get(address)?.get(NOTIFY), (value) => {
    const event =
      value[0] === ROLLING
        ? { kind: 'RollStart' }
        : { kind: 'Stable', x: value.readInt8(1), y: value.readInt8(2), z: value.readInt8(3) };
    const text = JSON.stringify(event);
    for (const socket of sockets.clients) socket.send(text);
  });
  serve({ port });
};

/** Writes a command and waits for its answer, one command at a time. */
type Send = (opcode: number, ...payload: readonly number[]) => Promise<Buffer>;

const channelOf = async (device: Characteristics, write: string, notify: string): Promise<Send> => {
  let answered: (answer: Buffer) => void = () => undefined;
  await subscribe(device.get(notify), (answer) => answered(answer));
  let last: Promise<unknown> = Promise.resolve();
  const send: Send = async (opcode, ...payload) => {
    const answer = new Promise<Buffer>((resolve) => (answered = resolve));
    device.get(write)?.write(Buffer.from([1 + payload.length, opcode, ...payload]), false);
    return answer;
  };
  return (...command) => {
    const sent = last.then(() => send(...command));
    last = sent;
    return sent;
  };
};

interface Command {
  readonly id: number;
  readonly command: { readonly address: string; readonly value: number };
}

/** A WebSocket whose commands are written on noble: `clock HCI-PORT ADDRESS…`. */
const clock = async (hciPort?: string, ...addresses: readonly string[]): Promise<void> => {
  const clocks = new Map<string, Send>();
  const noble = await openBareNoble(hostSocket(hciPort));
  for (const [address, device] of await connectAll(noble, addresses)) {
    const authenticate = await channelOf(device, '1', '2');
    await authenticate(0x01, ...TOKEN);
    await authenticate(0x02, ...TOKEN);
    clocks.set(address, await channelOf(device, 'b', 'c'));
  }
  const sockets = new WebSocketServer(AT);
  sockets.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      const { id, command } = JSON.parse(data.toString()) as Command;
      const { address, value } = command;
      void clocks
        .get(address)?.(SET_BRIGHTNESS, value / 10)
        .then(() => socket.send(JSON.stringify({ id, result: { address, brightness: value }, error: null })));
    });
  });
  serve({ port: await portOf(sockets) });
};

/** Prepared texts on a broker: `publisher BROKER`. */
const publisher = async (broker = ''): Promise<void> => {
  const client = await connectAsync(broker);
  serve({}, async ({ events, text }) => {
    for (let event = 0; event < Number(events); event++) {
      client.publish('airbench/dice/devices/D1:CE:00:00:00:01/events', String(text), { qos: 1 });
      await setImmediate();
    }
  });
};

/** The die's face, and the last 5,000 rolls, the newest first. */
const PAGE = `<!doctype html>
<title>Rolls</title>
<p id="face"></p>
<ol id="rolls" reversed></ol>
<script>
  const [face, rolls] = ['face', 'rolls'].map((id) => document.getElementById(id));
  const socket = new WebSocket('ws://' + location.host + '/ws');
  socket.onopen = () => (face.textContent = '…');
  socket.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.kind === 'RollStart') face.textContent = '…';
    if (event.kind !== 'Stable') return;
    face.textContent = event.face;
    const roll = document.createElement('li');
    roll.textContent = event.face + ' at ' + event.time;
    rolls.prepend(roll);
    if (rolls.childElementCount > 5000) rolls.lastChild.remove();
  };
</script>`;

/** Prepared texts to every WebSocket in turn, and a page that shows them. */
const stream = async (): Promise<void> => {
  const instance = expressWs(express());
  const { app } = instance;
  app.get('/', (_request, response) => void response.send(PAGE));
  app.ws('/ws', () => undefined);
  serve({ port: await portOf(app.listen(AT.port, AT.host)) }, async ({ events, text, at_once }) => {
    const texts = [text].flat().map(String);
    for (let event = 0; event < Number(events); event++) {
      for (const socket of instance.getWss().clients) socket.send(texts[event % texts.length] ?? '');
      if (at_once !== true) await setImmediate();
    }
  });
};

const labelNames = ['operation', 'method', 'status'];

const measured = (): RequestHandler => {
  const requests = new Counter({ name: 'requests_total', help: 'Requests answered', labelNames });
  const seconds = new Histogram({ name: 'request_seconds', help: 'How long they took', labelNames });
  const log = pino({ level: 'info' });
  return (request, response, next) => {
    const id = request.header('X-Request-Id') ?? randomUUID();
    const begun = performance.now();
    response.set({ 'X-Request-Id': id, 'Cache-Control': 'no-store' });
    response.on('finish', () => {
      const ms = performance.now() - begun;
      const route = request.route as { readonly path: string } | undefined;
      const labels = {
        operation: route?.path ?? 'other',
        method: request.method,
        status: String(response.statusCode),
      };
      requests.inc(labels);
      seconds.observe(labels, ms / 1000);
      log.debug({ id, ...labels, ms }, 'request');
    });
    next();
  };
};

const names = ['localhost', '127.0.0.1', hostname()];
const hostChecked: RequestHandler = (request, response, next) => {
  if (names.includes(request.hostname)) next();
  else response.status(403).json({ error: 'not called so' });
};

/** The usual middleware for the guards of our server, and prepared answers: `rest ANSWERS`, JSON of values by path. */
const rest = async (answers = '{}'): Promise<void> => {
  const app = express();
  app.use(measured(), helmet(), hostChecked, cors(), express.json());
  for (const [path, value] of Object.entries(JSON.parse(answers) as Readonly<Record<string, unknown>>))
    app.get(path, (_request, response) => void response.json(value));
  serve({ port: await portOf(app.listen(AT.port, AT.host)) });
};

const floors = { die, clock, publisher, stream, rest };
const [name, ...args] = process.argv.slice(2);
await floors[name as keyof typeof floors](...args);
