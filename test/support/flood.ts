/** A thread that sends many WebSocket messages as fast as it can. */
import { workerData } from 'node:worker_threads';
import { WebSocket } from 'ws';

const { port, messages, bytes } = workerData as {
  readonly port: number;
  readonly messages: number;
  readonly bytes: number;
};
const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
const text = 'x'.repeat(bytes);
socket.on('open', () => {
  for (let n = 0; n < messages; n++) socket.send(text);
});
