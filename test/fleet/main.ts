/**
 * `npm run fleet-load -- --servers 10 --dice 20 --rounds 30 --publishers 1000`: what one Mosquitto on this machine carries,
 * first of real servers on a simulated radio, then of publishers that do nothing else. Ends with status 1 if an event is lost
 * or doubled, or does not come at all.
 */
import { countFlag, judged, longRun } from '../harness/command.js';
import { startBroker } from './broker.js';
import { measurePublishers } from './publishers.js';
import { measureServers, type Fleet } from './servers.js';

interface Flags extends Fleet {
  readonly publishers: number;
  readonly messages: number;
}

await longRun('fleet-load', 'what one Mosquitto carries')
  .addOption(countFlag('--servers <number>', 'dice servers', 10))
  .addOption(countFlag('--dice <number>', 'dice of each server', 20))
  .addOption(countFlag('--rounds <number>', 'how often each die is rolled', 30))
  .addOption(countFlag('--publishers <number>', 'publishers that do nothing else', 1_000))
  .addOption(countFlag('--messages <number>', 'messages of each publisher', 100))
  .action(
    judged(async ({ publishers, messages, ...fleet }: Flags) => {
      const broker = await startBroker();
      const { missing, ...servers } = await measureServers(broker.url, fleet);
      console.table(servers);
      console.table(await measurePublishers(broker.url, publishers, messages));
      await broker.stop();
      const { lost, doubled } = servers;
      return [
        ...missing,
        ...(lost > 0 ? [`${lost} events were lost`] : []),
        ...(doubled > 0 ? [`${doubled} events came twice`] : []),
      ];
    }),
  )
  .parseAsync();
