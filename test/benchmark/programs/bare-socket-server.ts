/** The floor of a stream of events: one string that is ready, to every socket in turn. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import expressWs from 'express-ws';
import { onQuestion, say } from './said.js';

const instance = expressWs(express());
const { app } = instance;
app.ws('/ws', () => undefined);
const server = app.listen(0, '127.0.0.1', () => say({ port: (server.address() as AddressInfo).port }));

onQuestion(({ events, text }) => {
  for (let event = 0; event < Number(events); event++)
    for (const socket of instance.getWss().clients) socket.send(String(text));
});
