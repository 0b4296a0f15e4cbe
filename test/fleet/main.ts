/**
 * `npm run fleet-load -- --servers 10 --dice 20 --rounds 30 --publishers 1000`: the load that one Mosquitto on this machine carries,
 * first messages between servers of a fleet (`--fleets 10,100,1000`: the number of servers), then events of real servers on a
 * simulated radio, then of publishers alone. Ends with status 1 if an event is lost or doubled, or does not come at all, or if a
 * server does not find the neighbour that has a device.
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
  readonly devices: number;
  readonly consumers: number;
  readonly onlyFleets: boolean;
  readonly publishers: number;
  readonly messages: number;
}

await longRun('fleet-load', 'the load that one Mosquitto carries')
  .addOption(countFlag('--servers <number>', 'dice servers', 10))
  .addOption(countFlag('--dice <number>', 'dice of each server', 20))
  .addOption(countFlag('--rounds <number>', 'rolls of each die', 30))
  .addOption(countFlag('--publishers <number>', 'publishers without servers', 1_000))
  .addOption(countFlag('--messages <number>', 'messages of each publisher', 100))
  .addOption(
    flag<readonly number[]>(
      '--fleets <numbers>',
      'servers without Bluetooth in fleets that run one after another',
      (list) => {
        const sizes = list.split(',').map(Number);
        return sizes.every((size) => Number.isInteger(size) && size > 2 && size <= 2_000)
          ? E.right(sizes)
          : E.left('it must be integers from 3 to 2000, with commas between them');
      },
      [10, 100, 1_000],
      '10,100,1000',
    ),
  )
  .addOption(countFlag('--devices <number>', 'devices of each server without Bluetooth', 10))
  .addOption(countFlag('--consumers <number>', 'clients that listen to all messages of these fleets', 1))
  .addOption(switchFlag('--only-fleets', 'measures only the fleets without Bluetooth'))
  .action(
    judged(async ({ publishers, messages, fleets, devices, consumers, onlyFleets, ...fleet }: Flags) => {
      const rows: object[] = [];
      const failures: string[] = [];
      for (const servers of fleets) {
        const broker = await startBroker();
        const { problems, measures } = await measureProtocol(broker, { servers, devices, consumers });
        await broker.stop();
        rows.push(measures);
        failures.push(...problems.map((problem) => `${servers} servers: ${problem}`));
      }
      console.table(rows);
      if (onlyFleets) return failures;
      const broker = await startBroker();
      const { missing, ...servers } = await measureServers(broker.url, fleet);
      console.table(servers);
      console.table(await measurePublishers(broker.url, publishers, messages));
      await broker.stop();
      const { lost, doubled } = servers;
      return [
        ...failures,
        ...missing,
        ...(lost > 0 ? [`${lost} events were lost`] : []),
        ...(doubled > 0 ? [`${doubled} events came twice`] : []),
      ];
    }),
  )
  .parseAsync();
