/** An MQTT broker; `{"messages": N}` is answered when it has so many more events. */
import { startAedes } from '../../support/mqtt.js';
import { onQuestion, say } from './said.js';

const { aedes, port } = await startAedes();
let published = 0;
let due = Infinity;
let all: () => void = () => undefined;
aedes.on('publish', ({ topic }) => {
  if (!topic.endsWith('/events')) return;
  published += 1;
  if (published === due) all();
});

onQuestion(async ({ messages }) => {
  due = Number(messages);
  if (published < due) await new Promise<void>((resolve) => (all = resolve));
  published -= due;
  due = Infinity;
  return {};
});
say({ url: `mqtt://127.0.0.1:${port}` });
