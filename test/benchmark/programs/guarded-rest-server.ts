/**
 * Answers ready values at the paths of the dice server: `guarded-rest-server ANSWERS`, ANSWERS being an object of values by path
 * in JSON. Before them is the usual middleware for the guards that our server has.
 */
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import cors from 'cors';
import express, { type RequestHandler } from 'express';
import helmet from 'helmet';
import { pino } from 'pino';
import { Counter, Histogram } from 'prom-client';
import { cpuUsed, onQuestion, say } from './said.js';

const [answers = '{}'] = process.argv.slice(2);

const labelNames = ['operation', 'method', 'status'];
const requests = new Counter({ name: 'requests_total', help: 'Requests answered', labelNames });
const seconds = new Histogram({ name: 'request_seconds', help: 'How long they took', labelNames });
const log = pino({ level: 'info' });

const measured: RequestHandler = (request, response, next) => {
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

const names = ['localhost', '127.0.0.1', hostname()];
const hostChecked: RequestHandler = (request, response, next) => {
  if (names.includes(request.hostname)) next();
  else response.status(403).json({ error: 'not called so' });
};

const app = express();
app.use(measured, helmet(), hostChecked, cors(), express.json());
for (const [path, value] of Object.entries(JSON.parse(answers) as Readonly<Record<string, unknown>>)) {
  app.get(path, (_request, response) => void response.json(value));
}
const server = app.listen(0, '127.0.0.1', () => say({ port: (server.address() as AddressInfo).port }));

onQuestion(cpuUsed);
