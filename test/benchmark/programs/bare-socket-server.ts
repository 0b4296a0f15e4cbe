/** The floor of a stream of events: one string that is ready, to every socket in turn. */
import { setImmediate } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import express from 'express';
import expressWs from 'express-ws';
import { cpuUsed, onQuestion, say } from './said.js';

const instance = expressWs(express());
const { app } = instance;
app.ws('/ws', () => undefined);
const server = app.listen(0, '127.0.0.1', () => say({ port: (server.address() as AddressInfo).port }));

onQuestion(async ({ events, text, at_once }) => {
  if (events === undefined) return cpuUsed();
  for (let event = 0; event < Number(events); event++) {
    for (const socket of instance.getWss().clients) socket.send(String(text));
    if (at_once !== true) await setImmediate();
  }
  return undefined;
});
