/** The cost of a number of dice, up and connected: `world-size DICE`, with `--expose-gc`. */
import { World } from '../../../simulators/control/index.js';
import { Air, H4Server, VirtualSocket } from '../../../simulators/radio/index.js';
import { connectAll, openNoble } from './noble-hosts.js';
import { cpuUsed, onQuestion, say } from './said.js';
import { collected } from '../../support/heap.js';
import { populate, some } from '../../support/world.js';

const [count = 0] = process.argv.slice(2).map(Number);
const air = new Air({ pace: 'fast' });
const world = new World(air, new H4Server(air));

const bytesUsed = (): number => {
  const { heapUsed, external, arrayBuffers } = collected();
  return heapUsed + external + arrayBuffers;
};

/** A world of so many, and a host that is connected to them all. */
const bring = async (dice: number, host: string): Promise<void> => {
  const before = new Set(world.list().map(({ address }) => address));
  await populate(world, some('dice', dice));
  const own = world.list().flatMap(({ address }) => (before.has(address) ? [] : [address]));
  await connectAll(await openNoble(new VirtualSocket(air, { address: host, maxLinks: dice })), own);
};

// Code that is loaded once, whatever the number.
await bring(1, '02:A1:B0:00:00:01');
const { cpu } = cpuUsed();
const bytes = bytesUsed();
await bring(count, '02:A1:B0:00:00:02');
const used = cpuUsed().cpu - cpu;
say({ ms: (used * 1_000) / count, mb: (bytesUsed() - bytes) / 1024 ** 2 / count });
onQuestion(cpuUsed);
