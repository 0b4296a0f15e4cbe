/** The smallest program that serves REST and WebSockets. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import expressWs from 'express-ws';

const { app } = expressWs(express());
app.get('/api/sessions', (_request, response) => void response.json([]));
app.ws('/ws', () => undefined);
const server = app.listen(0, '127.0.0.1', () =>
  console.log(`bare server  http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
