/**
 * `npm run fleet-load -- --servers 10 --dice 20 --rounds 30 --publishers 1000`: what one Mosquitto on this machine carries,
 * first of real servers on a simulated radio, then of publishers that do nothing else, then of what servers tell each other
 * (`--fleets 10,100,1000`: how many of them). Ends with status 1 if an event is lost or doubled, or does not come at all, or if a
 * claim ends as it should not.
 */
import { countFlag, judged, longRun } from '../harness/command.js';
import * as E from 'fp-ts/lib/Either.js';
import { flag, switchFlag } from '../../src/cli/options/options.js';
import { startBroker } from './broker.js';
import { measureProtocol } from './protocol.js';
import { measurePublishers } from './publishers.js';
import { measureServers, type Fleet } from './servers.js';

interface Flags extends Fleet {
  readonly fleets: readonly number[];
  readonly owned: number;
  readonly consumers: number;
  readonly onlyFleets: boolean;
  readonly publishers: number;
  readonly messages: number;
}

await longRun('fleet-load', 'what one Mosquitto carries')
  .addOption(countFlag('--servers <number>', 'dice servers', 10))
  .addOption(countFlag('--dice <number>', 'dice of each server', 20))
  .addOption(countFlag('--rounds <number>', 'how often each die is rolled', 30))
  .addOption(countFlag('--publishers <number>', 'publishers that do nothing else', 1_000))
  .addOption(countFlag('--messages <number>', 'messages of each publisher', 100))
  .addOption(
    flag<readonly number[]>(
      '--fleets <numbers>',
      'servers without Bluetooth, several fleets one after another',
      (given) => {
        const sizes = given.split(',').map(Number);
        return sizes.every((size) => Number.isInteger(size) && size > 2 && size <= 2_000)
          ? E.right(sizes)
          : E.left('it must be integers from 3 to 2000, with commas between them');
      },
      [10, 100, 1_000],
      '10,100,1000',
    ),
  )
  .addOption(countFlag('--owned <number>', 'devices of each of them', 10))
  .addOption(countFlag('--consumers <number>', 'clients that listen to everything meanwhile', 1))
  .addOption(switchFlag('--only-fleets', 'measures nothing else'))
  .action(
    judged(async ({ publishers, messages, fleets, owned, consumers, onlyFleets, ...fleet }: Flags) => {
      const rows: object[] = [];
      const wrong: string[] = [];
      for (const servers of fleets) {
        const broker = await startBroker();
        const { problems, measures } = await measureProtocol(broker, { servers, devices: owned, consumers });
        await broker.stop();
        rows.push(measures);
        wrong.push(...problems.map((problem) => `${servers} servers: ${problem}`));
      }
      console.table(rows);
      if (onlyFleets) return wrong;
      const broker = await startBroker();
      const { missing, ...servers } = await measureServers(broker.url, fleet);
      console.table(servers);
      console.table(await measurePublishers(broker.url, publishers, messages));
      await broker.stop();
      const { lost, doubled } = servers;
      return [
        ...wrong,
        ...missing,
        ...(lost > 0 ? [`${lost} events were lost`] : []),
        ...(doubled > 0 ? [`${doubled} events came twice`] : []),
      ];
    }),
  )
  .parseAsync();
