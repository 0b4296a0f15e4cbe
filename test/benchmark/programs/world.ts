/** A simulated world in no time, for servers on H4: `world DICE CLOCKS`. */
import { decodeSpecs, World } from '../../../simulators/control/index.js';
import { Air, H4Server } from '../../../simulators/radio/index.js';
import { succeeded } from '../either.js';
import { cpuUsed, onQuestion, say } from './said.js';

const [dice = 0, clocks = 0] = process.argv.slice(2).map(Number);
const some = (kind: string, count: number): readonly unknown[] => Array<unknown>(count).fill({ kind });

const air = new Air({ pace: 'fast' });
const server = new H4Server(air, { maxLinks: dice + clocks });
const world = new World(air, server);
succeeded(await world.populate(succeeded(decodeSpecs([...some('dice', dice), ...some('clock', clocks)])))());
onQuestion(cpuUsed);
say({
  hciPort: await server.listen({ host: '127.0.0.1', port: 0 }),
  addresses: world.list().map(({ address }) => address),
});
