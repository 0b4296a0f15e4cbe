/**
 * `npm run fleet-load -- --servers 10 --dice 20 --rounds 30 --publishers 1000`: what one Mosquitto on this machine carries,
 * first of real servers on a simulated radio, then of publishers that do nothing else. Ends with status 1 if an event is lost
 * or doubled.
 */
import { parseArgs } from 'node:util';
import { endPrograms } from '../support/program.js';
import { measurePublishers } from './publishers.js';
import { measureServers } from './servers.js';
import { startBroker } from './broker.js';

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '10' },
    dice: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '30' },
    publishers: { type: 'string', default: '1000' },
    messages: { type: 'string', default: '100' },
  },
});

const countOf = (given: string): number => {
  const count = Number(given);
  if (Number.isInteger(count) && count > 0) return count;
  throw new Error(`it must be a whole number from 1 on, got ${given}`);
};

const broker = await startBroker();
try {
  const servers = await measureServers(broker.url, {
    servers: countOf(values.servers),
    dice: countOf(values.dice),
    rounds: countOf(values.rounds),
  });
  console.table(servers);
  if (servers.lost + servers.doubled > 0) process.exitCode = 1;
  console.table(await measurePublishers(broker.url, countOf(values.publishers), countOf(values.messages)));
} finally {
  await broker.stop();
  endPrograms();
}
