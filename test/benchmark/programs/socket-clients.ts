/** Clients of a stream: `socket-clients PORT COUNT`; `{"messages": N}` is answered when each has received so many more. */
import { WebSocket } from 'ws';
import { onQuestion, say } from './said.js';

const [port, count] = process.argv.slice(2).map(Number);
let received = 0;
let due = Infinity;
let told: () => void = () => undefined;
let last = '';

const open = (): Promise<void> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { perMessageDeflate: false });
    socket.on('message', (data: Buffer) => {
      received += 1;
      if (received < due) return;
      last = data.toString();
      told();
    });
    socket.once('open', resolve);
  });

await Promise.all(Array.from({ length: count ?? 0 }, open));

onQuestion(async ({ messages }) => {
  due = Number(messages) * (count ?? 0);
  if (received < due) await new Promise<void>((resolve) => (told = resolve));
  received -= due;
  due = Infinity;
  return { last };
});
say({ last });
