/** The floor of events on a broker: strings that are ready. `bare-publisher BROKER`. */
import { connectAsync } from 'mqtt';
import { setImmediate } from 'node:timers/promises';
import { cpuUsed, onQuestion, say } from './said.js';

const [broker = ''] = process.argv.slice(2);
const client = await connectAsync(broker);

onQuestion(async ({ events, text }) => {
  if (events === undefined) return cpuUsed();
  for (let event = 0; event < Number(events); event++) {
    client.publish('airbench/dice/devices/D1:CE:00:00:00:01/events', String(text), { qos: 1 });
    await setImmediate();
  }
  return undefined;
});
say({});
