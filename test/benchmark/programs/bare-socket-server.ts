/** The floor of a stream of events, and of a page that shows it: strings that are ready, to every socket in turn. */
import { setImmediate } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import express from 'express';
import expressWs from 'express-ws';
import { cpuUsed, onQuestion, say } from './said.js';

/** The die's face, how often it was rolled, and the last 5,000 rolls, the newest first. */
const PAGE = `<!doctype html>
<title>Rolls</title>
<p id="face"></p>
<p id="count"></p>
<ol id="rolls" reversed></ol>
<script>
  const [face, count, rolls] = ['face', 'count', 'rolls'].map((id) => document.getElementById(id));
  let rolled = 0;
  const socket = new WebSocket('ws://' + location.host + '/ws');
  socket.onopen = () => (count.textContent = '0 rolls');
  socket.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.kind === 'RollStart') face.textContent = '…';
    if (event.kind !== 'Stable') return;
    face.textContent = event.face;
    count.textContent = ++rolled + ' rolls';
    const roll = document.createElement('li');
    roll.textContent = event.face + ' at ' + event.time;
    rolls.prepend(roll);
    if (rolls.childElementCount > 5000) rolls.lastChild.remove();
  };
</script>`;

const instance = expressWs(express());
const { app } = instance;
app.get('/', (_request, response) => void response.send(PAGE));
app.ws('/ws', () => undefined);
const server = app.listen(0, '127.0.0.1', () => say({ port: (server.address() as AddressInfo).port }));

onQuestion(async ({ events, text, at_once }) => {
  if (events === undefined) return cpuUsed();
  const texts = [text].flat().map(String);
  for (let event = 0; event < Number(events); event++) {
    for (const socket of instance.getWss().clients) socket.send(texts[event % texts.length] ?? '');
    if (at_once !== true) await setImmediate();
  }
  return undefined;
});
